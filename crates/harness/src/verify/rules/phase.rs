//! Checks that the phase is the phase of the state.

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
    let (Some(recorded), Some(state)) = (context.now.side(RecordField::Phase, side), state) else {
        return;
    };
    let machine = context.machine();
    let phase = machine
        .state(state)
        .phase
        .map(|phase| machine.names.phases.name(phase));
    // A phase that was set externally can differ from that of the state until the dialogue moves.
    let apart = side == "from" && context.shadow.placed;
    if apart || recorded.text() == phase && (recorded.is_null() || phase.is_some()) {
        return;
    }
    let name = machine.names.states.name(state);
    let declared = match phase {
        Some(phase) => format!("`{name}` belongs to the phase `{phase}`"),
        None => format!("`{name}` has no phase"),
    };
    let found = match recorded.text() {
        Some(recorded) => format!("the phase `{recorded}` in `{name}`"),
        None => format!("the phase {recorded} in `{name}`"),
    };
    breaches.push(context.breach("phase_out_of_step", Some(state), found, declared));
}
