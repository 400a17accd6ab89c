//! The phase is that of the state.

use super::{CheckContext, Finding};
use fsmsim_core::machine::StateId;
use fsmsim_core::trace::RecordField;

pub(super) fn check(context: &CheckContext<'_>, breaches: &mut Vec<Finding>) {
    side(context, "from", context.state_before(), breaches);
    side(context, "to", context.state_after(), breaches);
}

fn side(
    context: &CheckContext<'_>,
    side: &str,
    state: Option<StateId>,
    breaches: &mut Vec<Finding>,
) {
    let (Some(told), Some(state)) = (context.now.side(RecordField::Phase, side), state) else {
        return;
    };
    let machine = context.machine();
    let phase = machine
        .state(state)
        .phase
        .map(|phase| machine.names.phases.name(phase));
    // A phase that was put beside a state from outside stays until the dialogue moves.
    let apart = side == "from" && context.shadow.placed;
    if apart || told.text() == phase && (told.is_null() || phase.is_some()) {
        return;
    }
    let name = machine.names.states.name(state);
    let declared = match phase {
        Some(phase) => format!("`{name}` is in the phase `{phase}`"),
        None => format!("`{name}` is in no phase"),
    };
    let found = match told.text() {
        Some(told) => format!("the phase `{told}` in `{name}`"),
        None => format!("the phase {told} in `{name}`"),
    };
    breaches.push(context.breach("phase_out_of_step", Some(state), found, declared));
}
