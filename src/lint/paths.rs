//! States that cannot be reached, and states that cannot be left.

use std::path::Path;

use super::state_graph::StateGraph;
use crate::diagnostic::{Code, Diagnostic, Span};
use crate::engine::{Machine, SourceKind};
use crate::machine::{ControlNode, State, StateId};

/// Looks at all states that are the machine's own. A base that several machines share has states that this one has no use
/// for.
pub(super) fn check(machine: &Machine, map: &StateGraph, found: &mut Vec<Diagnostic>) {
    let reached = map.reached(machine);
    for (id, state) in machine.declared_states() {
        let Some(span) = state.span.filter(|span| is_own(machine, *span)) else { continue };
        if matches!(state.node.as_deref(), Some(ControlNode::BranchEnd)) {
            continue;
        }
        let name = machine.names.states.name(id);
        if reached.as_ref().is_some_and(|reached| !reached[id]) {
            let initial = machine.names.states.name(machine.initial);
            found.push(
                Diagnostic::warning(Code::Unreachable, format!("no way leads from `{initial}` to `{name}`"))
                    .at(span, "never entered")
                    .help("lead to it, or remove it"),
            );
        }
        if !state.is_final && is_stuck(machine, map, id, state) {
            found.push(
                Diagnostic::warning(Code::DeadEnd, format!("nothing leads out of `{name}`"))
                    .at(span, "this state")
                    .help("add transitions, or mark the state as final"),
            );
        }
    }
}

/// Whether a state leads to no other. Where a model may decide, it leads anywhere.
fn is_stuck(machine: &Machine, map: &StateGraph, id: StateId, state: &State) -> bool {
    // Where the classes of a contract are all there is, a turn may end as it began.
    if machine.contract().is_some_and(|contract| contract.is_whole) {
        return false;
    }
    let decides = state.source_filter.and(machine.settings().enabled);
    !decides.has(SourceKind::AutonomousDecision) && map.next(id).iter().all(|next| *next == id)
}

/// Whether something is written in the files that the machine is named by.
fn is_own(machine: &Machine, span: Span) -> bool {
    Path::new(machine.files.path(span.file)).starts_with(&machine.header.source)
}
