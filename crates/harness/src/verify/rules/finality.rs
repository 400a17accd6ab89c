//! Checks that a dialogue does not continue after its end, and that the field `final` is correct.

use super::{CheckContext, Finding};
use fsmsim_core::engine::Machine;
use fsmsim_core::machine::StateId;
use fsmsim_core::trace::RecordField;

pub(super) fn check(context: &CheckContext<'_>, breaches: &mut Vec<Finding>) {
    let machine = context.machine();
    if let Some(from) = context.state_before()
        && context.settings.switches.final_state
        && context.moved()
        && !reopens(context, from)
        && (machine.state(from).is_final || was_over_softly(context, from))
    {
        let found = format!("`{}` → `{}`", context.from.unwrap_or_default(), context.to);
        let declared = format!("`{}` is final", context.from.unwrap_or_default());
        breaches.push(context.breach("left_final_state", Some(from), found, declared));
    }
    let (Some(recorded), Some(to)) = (context.now.is_final(), context.state_after()) else {
        return;
    };
    let is_final = machine.state(to).is_final;
    if recorded != is_final && !(recorded && over_softly(machine, to)) {
        let declared = format!(
            "`{}` is {}",
            context.to,
            if is_final { "final" } else { "not final" }
        );
        breaches.push(context.breach(
            "wrong_final",
            Some(to),
            format!("final: {recorded}"),
            declared,
        ));
    }
}

/// Whether the input of the turn is one that the state handles even after the end of the dialogue.
fn reopens(context: &CheckContext<'_>, from: StateId) -> bool {
    let machine = context.machine();
    let intent = context
        .now
        .meant()
        .and_then(|name| machine.names.intents.id(name));
    intent.is_some_and(|id| machine.reopens(from, id))
}

/// Whether the dialogue had ended in a state that is final only once the objection limit is reached, and still is. Data
/// from the turn, or data set before it, may have undone that.
fn was_over_softly(context: &CheckContext<'_>, from: StateId) -> bool {
    let machine = context.machine();
    let Some(slot) = machine.state(from).final_if else {
        return false;
    };
    let data = context.now.field(RecordField::Data);
    let is_undone =
        data.is_some_and(|data| !data.at(machine.names.slots.name(slot)).to_value().truthy());
    context.shadow.is_final == Some(true) && !is_undone
}

/// Whether a state is final only once the objection limit is reached.
fn over_softly(machine: &Machine, state: StateId) -> bool {
    machine.state(state).final_if.is_some()
}
