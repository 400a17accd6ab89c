//! A turn as the rules see it.

use super::reachability::Reachability;
use super::shadow_session::ShadowSession;
use crate::machine::{Machine, RuleId, Settings, StateId};
use crate::verify::import::ObservedTurn;

/// A turn as the rules see it: what the trace tells of it, what was before it, and what the model declares.
pub struct CheckContext<'a> {
    /// What the model can do.
    pub reachability: &'a Reachability,
    /// The settings of the dialogue.
    pub settings: &'a Settings,
    /// What is known from before the turn.
    pub shadow: &'a ShadowSession<'a>,
    /// The turn.
    pub now: &'a ObservedTurn<'a>,
    /// The state before the turn: as the turn says, else as the turn before it left the dialogue.
    pub from: Option<&'a str>,
    /// The state after the turn.
    pub to: &'a str,
}

/// What breaks a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleBreach {
    /// The name of the rule.
    pub rule: &'static str,
    /// What the trace has.
    pub found: String,
    /// What the model declares.
    pub declared: String,
    /// Where it declares it: `path:line`.
    pub place: Option<String>,
}

impl<'a> CheckContext<'a> {
    /// The model.
    #[must_use]
    pub fn machine(&self) -> &'a Machine {
        self.reachability.machine()
    }

    /// The state before the turn, where the model has it.
    #[must_use]
    pub fn from_id(&self) -> Option<StateId> {
        self.machine().state_id(self.from?)
    }

    /// The state after the turn, where the model has it.
    #[must_use]
    pub fn to_id(&self) -> Option<StateId> {
        self.machine().state_id(self.to)
    }

    /// The turn changed the state, or nobody knows whether.
    #[must_use]
    pub fn moved(&self) -> bool {
        self.from != Some(self.to)
    }

    /// A breach of a rule, at the place of a state of the model.
    #[must_use]
    pub fn breach(
        &self,
        rule: &'static str,
        state: Option<StateId>,
        found: String,
        declared: String,
    ) -> RuleBreach {
        let place = state.and_then(|state| place_of(self.machine(), state));
        RuleBreach { rule, found, declared, place }
    }
}

/// Where a rule is written: `path:line`.
pub(super) fn rule_place(machine: &Machine, rule: RuleId) -> String {
    let place = machine.files.place(machine.rules[rule].span);
    format!("{}:{}", place.path, place.line)
}

/// Where a state is defined: `path:line`.
pub(super) fn place_of(machine: &Machine, state: StateId) -> Option<String> {
    let place = machine.files.place(machine.state(state).span?);
    Some(format!("{}:{}", place.path, place.line))
}
