//! Hands over to a human (docs/sales.md, "Escalation").

use super::super::board::Blackboard;
use super::super::reason::{Escalation, Reason};
use super::super::view::TurnContext;
use crate::machine::{Level, Roles, SourceKind, Value};

const BY: SourceKind = SourceKind::Escalation;

/// The action takes its own move along; under the profile `reference` it blocks it.
pub(super) fn contribute(view: &TurnContext<'_>, board: &mut Blackboard) {
    let Some((cause, level)) = cause(view) else { return };
    let vocabulary = &view.machine.vocabulary;
    let reason = Reason::Escalation(cause);
    let moves = view.settings.switches.escalation_moves;
    board.act(BY, vocabulary.actions.escalate, level, reason).combinable = moves;
    if let Some(to) = view.proposable(vocabulary.places.escalation) {
        board.go(BY, to, level, reason);
    }
}

fn cause(view: &TurnContext<'_>) -> Option<(Escalation, Level)> {
    let thresholds = &view.machine.vocabulary.thresholds;
    let tracker = &view.session.tracker;
    let unclear = view.machine.vocabulary.unclear.map_or(0, |intent| i64::from(tracker.total(intent)));
    let upset = view.is(Roles::FRUSTRATION);
    if view.is(Roles::ESCALATION) {
        return Some((Escalation::Explicit, Level::Critical));
    }
    if view.is(Roles::SENSITIVE) {
        return Some((Escalation::Sensitive, Level::Critical));
    }
    if !upset && unclear < thresholds.unclear_considered {
        return None;
    }
    let frustrated = i64::from(tracker.category_total(view.machine.vocabulary.categories.frustration));
    if upset && frustrated >= thresholds.frustration_escalates {
        return Some((Escalation::Frustration, Level::High));
    }
    let misunderstood = if view.settings.switches.escalation_moves {
        unclear == thresholds.unclear_escalates && view.is(Roles::UNCLEAR)
    } else {
        unclear >= thresholds.unclear_escalates
    };
    if misunderstood {
        return Some((Escalation::Misunderstanding, Level::High));
    }
    let size = company_size(view);
    if view.is(Roles::HIGH_VALUE) && size.is_some_and(|size| size >= thresholds.large_company) {
        return Some((Escalation::HighValue, Level::High));
    }
    None
}

fn company_size(view: &TurnContext<'_>) -> Option<i64> {
    let slot = view.machine.vocabulary.slots.company_size?;
    match view.session.slots.get(slot) {
        Value::Int(size) => Some(*size),
        _ => None,
    }
}
