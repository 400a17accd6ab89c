//! The rules by which a recorded turn is checked against a model, each separately. A rule checks only fields that are
//! recorded.

mod class;
mod consent;
mod contract;
mod counters;
mod data;
mod finality;
mod observed_turn;
mod phase;
pub(super) mod property;
pub(super) mod transition;

use super::check_context::CheckContext;
use super::finding::Finding;
use fsmsim_syntax::diagnostic::nearest;

/// A rule: checks a turn and adds any violations.
type RuleCheck = fn(&CheckContext<'_>, &mut Vec<Finding>);

/// All rules, in the order of their findings. This includes rules for optional features of models.
pub(super) const RULES: [RuleCheck; 11] = [
    order,
    state,
    continuity,
    transition::check,
    finality::check,
    phase::check,
    class::check,
    data::check,
    counters::check,
    consent::check,
    contract::check,
];

/// Checks that the turns of a dialogue are numbered consecutively. After unreadable lines, any number is accepted.
fn order(context: &CheckContext<'_>, breaches: &mut Vec<Finding>) {
    let before = context.shadow.turns;
    let now = context.now.number;
    if context.now.after_gap || now == before + 1 {
        return;
    }
    let found = match before {
        0 => format!("the number of the first turn is {now}"),
        _ => format!("turn {now} follows turn {before}"),
    };
    breaches.push(context.breach(
        "missing_turns",
        None,
        found,
        format!("turn {} is missing", before + 1),
    ));
}

/// Checks that the model defines the state. A state that was set externally may be unknown, and the dialogue may stay
/// in it.
fn state(context: &CheckContext<'_>, breaches: &mut Vec<Finding>) {
    let machine = context.machine();
    if context.state_after().is_some() || context.shadow.state == Some(context.to) {
        return;
    }
    let states = machine.declared_names();
    let declared = match nearest(context.to, states) {
        Some(near) => format!("unknown state; a similar state exists: `{near}`"),
        None => "unknown state".to_owned(),
    };
    breaches.push(context.breach("unknown_state", None, format!("`{}`", context.to), declared));
}

/// Checks that a turn starts in the state in which the previous turn ended. While branches are running, the turn may
/// belong to another branch.
fn continuity(context: &CheckContext<'_>, breaches: &mut Vec<Finding>) {
    let (Some(known), Some(from)) = (context.shadow.state, context.now.from()) else {
        return;
    };
    if known == from {
        return;
    }
    if let Some(state) = context.state_before()
        && context.reachability.branches(state) | context.shadow.visited.contains(&state)
        && context.reachability.has_branches()
    {
        return;
    }
    let found = format!("the turn starts in `{from}`");
    let declared = format!("the dialogue is in `{known}`");
    breaches.push(context.breach(
        "broken_continuity",
        context.machine().state_id(known),
        found,
        declared,
    ));
}
