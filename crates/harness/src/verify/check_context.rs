//! The context that rules need to check a turn.

use super::finding::Finding;
use super::known_frames::KnownFrames;
use super::reachability::Reachability;
use super::shadow_session::ShadowSession;
use crate::verify::import::ObservedTurn;
use fsmsim_core::engine::{Machine, Settings};
use fsmsim_core::machine::{RuleId, StateId};

/// The context that rules need to check a turn: the recorded turn, what is known about earlier turns, and the
/// declarations of the model.
pub(super) struct CheckContext<'a> {
    pub dialogue: &'a str,
    /// The transitions that the model allows.
    pub reachability: &'a Reachability,
    /// The settings of the dialogue.
    pub settings: &'a Settings,
    /// The session before the turn, as far as it is known.
    pub shadow: &'a ShadowSession<'a>,
    pub now: &'a ObservedTurn<'a>,
    /// The frames after the turn, if they are known.
    pub frames: Option<&'a KnownFrames>,
    /// The state before the turn. It is recorded in the turn, or else it is the state after the previous turn.
    pub from: Option<&'a str>,
    /// The state after the turn.
    pub to: &'a str,
}

impl<'a> CheckContext<'a> {
    pub(super) fn machine(&self) -> &'a Machine {
        &self.reachability.machine
    }

    /// The state before the turn, if the model defines it.
    pub(super) fn state_before(&self) -> Option<StateId> {
        self.machine().state_id(self.from?)
    }

    /// The state after the turn, if the model defines it.
    pub(super) fn state_after(&self) -> Option<StateId> {
        self.machine().state_id(self.to)
    }

    /// Whether the turn changed the state. Also true if the state before the turn is unknown.
    pub(super) fn moved(&self) -> bool {
        self.from != Some(self.to)
    }

    /// The finding about a violated rule, with the location of a state in the model.
    pub(super) fn breach(
        &self,
        rule: &'static str,
        state: Option<StateId>,
        found: String,
        declared: String,
    ) -> Finding {
        let at = (self.now.number, self.now.line);
        let place = state.and_then(|state| place_of(self.machine(), state));
        Finding {
            place,
            ..Finding::in_turn(self.dialogue, at, rule, found, declared)
                .about_transition(self.from, self.to)
        }
    }
}

/// The location of a rule: `path:line`.
pub(super) fn rule_place(machine: &Machine, rule: RuleId) -> String {
    machine.place_of(rule).line_place()
}

/// The location of a state's definition: `path:line`.
pub(super) fn place_of(machine: &Machine, state: StateId) -> Option<String> {
    let place = machine.files.place(machine.state(state).span?);
    Some(place.line_place())
}
