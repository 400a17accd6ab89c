//! The constraints of a model that a recorded turn is held against, each by itself. A rule judges only what the trace tells.

mod class;
mod consent;
mod contract;
mod counters;
mod data;
mod finality;
mod phase;
pub(super) mod property;
mod told;
mod transition;

use super::check_context::CheckContext;
use super::finding::Finding;
use fsmsim_syntax::diagnostic::nearest;

/// A rule: looks at a turn, and tells what breaks it.
pub(super) type RuleCheck = fn(&CheckContext<'_>, &mut Vec<Finding>);

/// All rules, in the order in which their findings are told. A machine that declares more has rules of its own here.
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

/// The turns of a dialogue are numbered one by one. What stands behind lines that could not be read may have any number.
fn order(context: &CheckContext<'_>, breaches: &mut Vec<Finding>) {
    let (before, now) = (context.shadow.turns, context.now.number);
    if context.now.after_gap || now == before + 1 {
        return;
    }
    let found = match before {
        0 => format!("the first turn has the number {now}"),
        _ => format!("turn {now} stands behind turn {before}"),
    };
    breaches.push(context.breach(
        "missing_turns",
        None,
        found,
        format!("turn {} is missing", before + 1),
    ));
}

/// The state exists in the model. A state that was set from outside may be any; where the dialogue then stays, it stays.
fn state(context: &CheckContext<'_>, breaches: &mut Vec<Finding>) {
    let machine = context.machine();
    if context.state_after().is_some() || context.shadow.state == Some(context.to) {
        return;
    }
    let states = machine.declared_names();
    let declared = match nearest(context.to, states) {
        Some(near) => format!("no such state; did you mean `{near}`?"),
        None => "no such state".to_owned(),
    };
    breaches.push(context.breach("unknown_state", None, format!("`{}`", context.to), declared));
}

/// A turn begins where the one before it ended. Where branches run, the turn may belong to another one than the turn before.
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
    let found = format!("the turn begins in `{from}`");
    let declared = format!("the dialogue is in `{known}`");
    breaches.push(context.breach(
        "broken_continuity",
        context.machine().state_id(known),
        found,
        declared,
    ));
}
