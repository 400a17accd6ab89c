//! Declares the states of dialects that declare each state separately.

use fsmsim_core::machine::{MachineBuilder, PhaseId, State, StateId};
use fsmsim_syntax::diagnostic::Span;

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
