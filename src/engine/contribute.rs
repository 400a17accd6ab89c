//! Contributing: the sources that may have something to say are asked, in order (docs/sales.md, "Sources").

use super::board::{Blackboard, Proposal, Proposed};
use super::reason::Reason;
use super::sources;
use super::view::TurnContext;
use crate::machine::{Level, SourceKind, SourceMask, UNRANKED};

/// Fills the board.
pub(super) fn contribute(view: &TurnContext<'_>, board: &mut Blackboard) {
    if view.settings.switches.final_state && view.session.is_final(view.machine) {
        board.add(Proposal {
            proposed: Proposed::Action(view.machine.vocabulary.actions.finished),
            level: Level::Critical,
            rank: UNRANKED,
            combinable: false,
            by: None,
            reason: Reason::FinalState,
            rule: None,
        });
        return;
    }
    let intent = view.meaning();
    let asked = intent
        .interest
        .or(roused(view))
        .and(view.here().interest.or(intent.anywhere))
        .and(view.settings.sources);
    for kind in asked.iter() {
        if let Err(failure) = sources::contribute(kind, view, board) {
            board.errors.push((kind, failure.to_string().into()));
        }
    }
    let resolver = view.settings.sources.has(SourceKind::TransitionResolver);
    if view.settings.switches.any_trigger && resolver && !board.has_move() {
        sources::propose_any(view, board);
    }
}

/// The sources that this turn's circumstances rouse, whatever the intent.
fn roused(view: &TurnContext<'_>) -> SourceMask {
    let mut mask = SourceMask::NONE;
    if let Some(signals) = view.signals
        && (!signals.secondary.is_empty() || signals.repeated_question.is_some())
    {
        mask = mask.with(SourceKind::PriceQuestion, true).with(SourceKind::FactQuestion, true);
    }
    let vocabulary = &view.machine.vocabulary;
    let unclear = vocabulary.unclear.map_or(0, |intent| view.session.tracker.total(intent));
    if i64::from(unclear) >= vocabulary.thresholds.unclear_considered {
        mask = mask.with(SourceKind::Escalation, true);
    }
    mask
}
