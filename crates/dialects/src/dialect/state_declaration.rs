//! Declares the states of dialects that declare each state separately.

use fsmsim_core::machine::{MachineBuilder, PhaseId, RESUME, State, StateId};
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Diagnostics, Span};

/// Reports a state with the name of a target that has a meaning.
pub(super) fn check_reserved(name: &str, span: Span, others: &[&str], found: &mut Diagnostics) {
    if name == RESUME || others.contains(&name) {
        Diagnostic::error(
            Code::ReservedState,
            format!("state name `{name}` is reserved"),
        )
        .at(span, "name of a target")
        .help("rename the state")
        .add_to(found);
    }
}

/// The note on an unknown state of a flow under construction.
pub(super) const STUB: &str = "a stub replaces the state: no rules and no transitions";

/// Declares a state without content. It has no location, so nothing else about it is reported.
pub(super) fn declare_stub(name: &str, builder: &mut MachineBuilder) -> StateId {
    let arrival = builder.action(&format!("transition_to_{name}"));
    let id = builder.state(name);
    let state = &mut builder.states[id];
    state.declared = true;
    state.arrival = Some(arrival);
    id
}

/// Declares a state and its transition action, whose name contains the name of the state.
pub(super) fn declare_state(
    name: &str,
    span: Span,
    phase: Option<PhaseId>,
    goal: Option<Box<str>>,
    builder: &mut MachineBuilder,
) -> StateId {
    let id = builder.state(name);
    let arrival = Some(builder.action(&format!("transition_to_{name}")));
    builder.states[id] = State {
        declared: true,
        span: Some(span),
        phase,
        seen_phase: phase,
        goal,
        arrival,
        ..State::default()
    };
    id
}
