//! States that require data which then lead nowhere.

use super::paths::{is_own, requires_in_vain};
use fsmsim_core::engine::Machine;
use fsmsim_syntax::diagnostic::{Code, Diagnostic};

/// Looks at all states that are the machine's own.
pub(super) fn check(machine: &Machine, found: &mut Vec<Diagnostic>) {
    for (id, state) in machine.declared_states() {
        let Some(span) = state.span.filter(|span| is_own(machine, *span)) else {
            continue;
        };
        if requires_in_vain(machine, state) {
            let name = machine.names.states.name(id);
            found.push(
                Diagnostic::warning(
                    Code::DataLeadsNowhere,
                    format!("the data that `{name}` requires lead nowhere"),
                )
                .at(span, "requires data and has no `data_complete`")
                .help("add `data_complete: STATE` to its transitions"),
            );
        }
    }
}
