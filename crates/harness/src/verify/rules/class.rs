//! Checks that the structural class is consistent with the states before and after the turn
//! (`docs/src/reference/trace-fields.md`, Classes). Classes that these states do not determine (a step back, a fork, a
//! fallback) are accepted as recorded.

use super::{CheckContext, Finding};
use fsmsim_core::engine::{Class, Geometry};
use fsmsim_core::machine::StateId;
use fsmsim_core::trace::RecordField;
use fsmsim_syntax::diagnostic::nearest_or;

const RULE: &str = "wrong_class";

pub(super) fn check(context: &CheckContext<'_>, breaches: &mut Vec<Finding>) {
    let Some(recorded) = context
        .now
        .field(RecordField::Class)
        .filter(|class| !class.is_null())
    else {
        return;
    };
    let name = recorded.text().unwrap_or_default();
    let Some(class) = Class::from_name(name) else {
        let known = Class::ALL.iter().map(|class| class.name());
        let declared = nearest_or(name, known, || "unknown class".to_owned());
        breaches.push(context.breach(RULE, None, format!("class {recorded}"), declared));
        return;
    };
    let (Some(from), Some(to)) = (context.state_before(), context.state_after()) else {
        return;
    };
    let possible = possible(context, from, to);
    if class == Class::Degrade || possible.contains(&class) {
        return;
    }
    let names: Vec<&str> = possible.iter().map(|class| class.name()).collect();
    let found = format!(
        "`{name}`, from `{}` to `{}`",
        context.from.unwrap_or_default(),
        context.to
    );
    let declared = format!("`{}`", names.join("` or `"));
    breaches.push(context.breach(RULE, Some(to), found, declared));
}

/// The classes that the turn can have.
fn possible(context: &CheckContext<'_>, from: StateId, to: StateId) -> Vec<Class> {
    let machine = context.machine();
    let mut possible = Vec::new();
    // The state determines whether the dialogue had ended, except for the soft close. In that case, the trace must
    // record it, and data that was set since then may have changed it.
    let over = |state: StateId, recorded: Option<bool>| {
        let soft = machine.state(state).final_if.is_some();
        if soft {
            recorded
        } else {
            Some(machine.state(state).is_final)
        }
    };
    let before = context
        .shadow
        .is_final
        .filter(|_| context.shadow.set.is_empty());
    match (over(from, before), over(to, context.now.is_final())) {
        (Some(false), Some(true)) => return vec![Class::Finish],
        (Some(true), _) | (_, Some(false)) => {}
        _ => possible.push(Class::Finish),
    }
    if from != to {
        possible.push(Class::Back);
        possible.extend(machine.replans.then_some(Class::Replan));
    }
    if machine.has_nodes {
        possible.extend([Class::Fork, Class::Join, Class::Choice]);
    }
    let id = |name: Option<&str>| name.and_then(|name| machine.state_id(name));
    // Each branch has its own return state, so if the machine has branches, the previous turn does not determine it.
    let before = context
        .shadow
        .return_state
        .filter(|_| !context.reachability.has_branches())
        .map(id);
    let after = context
        .now
        .field(RecordField::ReturnState)
        .map(|kept| id(kept.text()));
    let returns = match (before, after) {
        (Some(before), Some(after)) => (before, after),
        _ => {
            possible.extend([Class::Resume, Class::Digress]);
            (None, None)
        }
    };
    let arrives = machine.state(to).phase.is_some();
    for entered in [false, true] {
        if context
            .shadow
            .phase_entered
            .is_none_or(|known| known == entered)
        {
            let geometry = Geometry {
                from,
                to,
                returns,
                enters: !entered && arrives,
            };
            possible.push(geometry.class(machine));
        }
    }
    if possible.contains(&Class::Hold) {
        possible.push(Class::Blocked);
    }
    possible.dedup();
    possible
}
