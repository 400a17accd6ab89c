//! A turn as the rules see it.

use super::finding::{Finding, TurnPlace};
use super::known_frames::KnownFrames;
use super::reachability::Reachability;
use super::shadow_session::ShadowSession;
use crate::verify::import::ObservedTurn;
use fsmsim_core::engine::{Machine, Settings};
use fsmsim_core::machine::{RuleId, StateId};

/// A turn as the rules see it: what the trace tells of it, what was before it, and what the model declares.
pub(super) struct CheckContext<'a> {
    /// The name of the dialogue.
    pub(super) dialogue: &'a str,
    /// What the model can do.
    pub(super) reachability: &'a Reachability,
    /// The settings of the dialogue.
    pub(super) settings: &'a Settings,
    /// What is known from before the turn.
    pub(super) shadow: &'a ShadowSession<'a>,
    pub(super) now: &'a ObservedTurn<'a>,
    /// The frames after it, where they are known.
    pub(super) frames: Option<&'a KnownFrames>,
    /// The state before the turn: as the turn says, else as the turn before it left the dialogue.
    pub(super) from: Option<&'a str>,
    /// The state after the turn.
    pub(super) to: &'a str,
}

impl<'a> CheckContext<'a> {
    /// The model.
    pub(super) fn machine(&self) -> &'a Machine {
        &self.reachability.machine
    }

    /// The state before the turn, where the model has it.
    pub(super) fn state_before(&self) -> Option<StateId> {
        self.machine().state_id(self.from?)
    }

    /// The state after the turn, where the model has it.
    pub(super) fn state_after(&self) -> Option<StateId> {
        self.machine().state_id(self.to)
    }

    /// The turn changed the state, or nobody knows whether.
    pub(super) fn moved(&self) -> bool {
        self.from != Some(self.to)
    }

    /// The finding about a broken rule, at the place of a state of the model.
    pub(super) fn breach(
        &self,
        rule: &'static str,
        state: Option<StateId>,
        found: String,
        declared: String,
    ) -> Finding {
        let at = TurnPlace {
            dialogue: self.dialogue.to_owned(),
            turn: self.now.number,
            line: self.now.line,
        };
        let place = state.and_then(|state| place_of(self.machine(), state));
        Finding {
            place,
            ..Finding::new(Some(at), rule, found, declared)
        }
    }
}

/// Where a rule is written: `path:line`.
pub(super) fn rule_place(machine: &Machine, rule: RuleId) -> String {
    let place = machine.place_of(rule);
    format!("{}:{}", place.path, place.line)
}

/// Where a state is defined: `path:line`.
pub(super) fn place_of(machine: &Machine, state: StateId) -> Option<String> {
    let place = machine.files.place(machine.state(state).span?);
    Some(format!("{}:{}", place.path, place.line))
}
