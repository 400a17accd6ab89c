//! Hands over to a human.

use crate::engine::policy::sales::{Escalation, Roles, SalesTurn};
use crate::engine::{Blackboard, SalesReason, SourceKind};
use crate::machine::{Level, Traits, Value};

const BY: SourceKind = SourceKind::Escalation;

/// Proposes the handover. In the profile `reference`, the action blocks the transition; otherwise, both apply.
pub(super) fn contribute(sales: &SalesTurn<'_>, board: &mut Blackboard) {
    let Some((cause, level)) = cause(sales) else {
        return;
    };
    let reason = SalesReason::Escalation(cause);
    let moves = sales.turn.settings.switches.escalation_moves;
    board
        .act(BY, sales.config.actions.escalate, level, reason)
        .combinable = moves;
    if let Some(to) = sales.turn.proposable(sales.config.states.escalation) {
        board.go(BY, to, level, reason);
    }
}

fn cause(sales: &SalesTurn<'_>) -> Option<(Escalation, Level)> {
    let thresholds = &sales.config.thresholds;
    let tracker = &sales.turn.session.tracker;
    let unclear = sales
        .config
        .unclear
        .map_or(0, |intent| i64::from(tracker.total(intent)));
    let upset = sales.has_role(Roles::FRUSTRATION);
    if sales.has_role(Roles::ESCALATION) {
        return Some((Escalation::Explicit, Level::Critical));
    }
    if sales.has_role(Roles::SENSITIVE) {
        return Some((Escalation::Sensitive, Level::Critical));
    }
    if !upset && unclear < thresholds.unclear_considered {
        return None;
    }
    let frustrated = i64::from(tracker.category_total(sales.config.categories.frustration));
    if upset && frustrated >= thresholds.frustration_escalates {
        return Some((Escalation::Frustration, Level::High));
    }
    let misunderstood = if sales.turn.settings.switches.escalation_moves {
        unclear == thresholds.unclear_escalates && sales.turn.does(Traits::UNCLEAR)
    } else {
        unclear >= thresholds.unclear_escalates
    };
    if misunderstood {
        return Some((Escalation::Misunderstanding, Level::High));
    }
    let size = company_size(sales);
    if sales.has_role(Roles::HIGH_VALUE)
        && size.is_some_and(|size| size >= thresholds.large_company)
    {
        return Some((Escalation::HighValue, Level::High));
    }
    None
}

fn company_size(sales: &SalesTurn<'_>) -> Option<i64> {
    let slot = sales.config.slots.company_size?;
    match sales.turn.session.slots.get(slot) {
        Value::Int(size) => Some(*size),
        _ => None,
    }
}
