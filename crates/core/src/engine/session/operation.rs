//! Operations on a session between turns, and their moves.

use crate::engine::{Machine, Position, SavedSession, Session, Settings, Symbol};
use crate::machine::{ActionId, PhaseId, SlotId, StateId, Value};

/// An operation on a session between turns.
#[derive(Clone, Debug, PartialEq)]
pub enum Operation {
    /// Save the session, drop it, and restore it.
    Snapshot,
    /// Reset the session to its start.
    Reset,
    SetState(Symbol<StateId>),
    /// Set the phase to the phase of the state.
    SyncPhase,
    /// Set data, converted to the types of the slots; a value that a slot does not accept is set unchanged.
    SetData(Vec<(Symbol<SlotId>, Value)>),
    /// Move to a state.
    TransitionTo {
        state: Symbol<StateId>,
        /// The action that caused the move.
        action: Option<Symbol<ActionId>>,
        /// The phase, if it is not the phase of the state.
        phase: Option<Symbol<PhaseId>>,
        /// The system that moves the session, for later analysis.
        source: Option<Box<str>>,
        /// Refuse a state that the machine does not define.
        validate: bool,
    },
}

impl Session {
    /// Applies an operation. Returns whether it was accepted: a move to an unknown state can be refused, and then
    /// nothing changes.
    pub fn operate(
        &mut self,
        operation: &Operation,
        machine: &Machine,
        settings: &Settings,
    ) -> bool {
        match operation {
            Operation::Snapshot => {
                let text = SavedSession::of(self, machine, settings).to_text();
                // The text was just written, so reading it cannot fail.
                let restored =
                    SavedSession::from_text(&text).and_then(|saved| saved.restore(machine));
                if let Ok(restored) = restored {
                    *self = restored;
                }
            }
            Operation::Reset => self.reset(machine),
            Operation::SetState(name) => {
                self.branches.leave();
                let state = self.state_id(name, machine);
                if settings.switches.atomic_position {
                    self.move_to(state, None, machine);
                } else {
                    self.position.state = state;
                }
            }
            Operation::SyncPhase => {
                let state = self.position.state;
                self.move_to(state, None, machine);
            }
            Operation::SetData(values) => {
                for (name, value) in values {
                    self.slots.set_name(name, name.held(value, machine));
                }
            }
            Operation::TransitionTo {
                state,
                action,
                phase,
                validate,
                ..
            } => {
                let known = state.known().is_some_and(|id| machine.is_declared(id));
                if *validate && !known {
                    return false;
                }
                self.branches.leave();
                let state = self.state_id(state, machine);
                let action = action
                    .as_ref()
                    .map(|name| self.unknown.actions.id(name, machine.names.actions.len()));
                self.move_to(state, action, machine);
                if let Some(name) = phase {
                    let phase = self.unknown.phases.id(name, machine.names.phases.len());
                    self.position = Position {
                        phase: Some(phase),
                        ..self.position
                    };
                }
            }
        }
        true
    }

    /// Applies operations in order, and returns the moves among them.
    pub fn operate_all(
        &mut self,
        operations: &[Operation],
        machine: &Machine,
        settings: &Settings,
    ) -> Vec<OutsideMove> {
        let mut moves = Vec::new();
        for operation in operations {
            let from = self.position.state;
            let Operation::TransitionTo {
                state,
                action,
                source,
                ..
            } = operation
            else {
                self.operate(operation, machine, settings);
                continue;
            };
            // Names are stored as text: a later operation can remove names that the machine does not define.
            let from = self.state_name(from, machine).into();
            let is_made = self.operate(operation, machine, settings);
            let phase = self
                .position
                .phase
                .map(|phase| self.phase_name(phase, machine).into());
            moves.push(OutsideMove {
                from,
                to: state.text(&machine.names.states).into(),
                phase,
                action: action
                    .as_ref()
                    .map(|action| action.text(&machine.names.actions).into()),
                source: source.clone(),
                is_made,
            });
        }
        moves
    }

    pub fn state_id(&mut self, name: &Symbol<StateId>, machine: &Machine) -> StateId {
        self.unknown.states.id(name, machine.names.states.len())
    }
}

/// A move from outside (`transition_to`): its target and its source. State, phase and last action change together or
/// not at all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutsideMove {
    /// The state before the move.
    pub from: Box<str>,
    /// The requested state.
    pub to: Box<str>,
    /// The phase after the move.
    pub phase: Option<Box<str>>,
    /// The action that caused the move.
    pub action: Option<Box<str>>,
    /// The system that made the move, if specified.
    pub source: Option<Box<str>>,
    /// Whether the move was made; otherwise, the machine does not define the state, and nothing changed.
    pub is_made: bool,
}

impl OutsideMove {
    /// The source of a move that does not specify one.
    pub const UNKNOWN_SOURCE: &str = "unknown";
}
