//! Contributing: the sources that may have something to say are asked, in order (docs/sales.md, "Sources").

use super::blackboard::{Blackboard, Proposal, Proposed, Reason};
use super::condition::TurnContext;
use super::source_kind::SourceKind;
use super::{PolicyNotes, sources};
use crate::machine::{Level, UNRANKED};

/// Fills the blackboard.
pub(super) fn contribute(turn: &TurnContext<'_>, notes: &mut PolicyNotes, board: &mut Blackboard) {
    let is_over = turn.settings.switches.final_state && turn.session.is_final(turn.machine);
    if is_over && !turn.machine.reopens(turn.state, turn.intent) {
        board.add(Proposal {
            proposed: Proposed::Action(turn.machine.well_known.finished),
            level: Level::Critical,
            rank: UNRANKED,
            combinable: false,
            by: None,
            reason: Reason::FinalState,
            rule: None,
            mark: None,
        });
        return;
    }
    let intent = turn.current_intent();
    let asked = intent
        .source_filter
        .or(turn.machine.policies.triggered_by_signals(turn))
        .and(turn.here().source_filter.or(intent.anywhere))
        .and(turn.settings.sources);
    for kind in asked.iter() {
        if let Err(error) = sources::contribute(kind, turn, notes, board) {
            board.errors.push((kind, error.to_string().into()));
        }
    }
    let resolver = turn.settings.sources.has(SourceKind::TransitionResolver);
    if turn.settings.switches.any_trigger && resolver && !board.has_move() {
        sources::propose_any(turn, board);
    }
}
