//! Matching: the first class whose entry condition and required prior state hold.

use super::carryover::withdraw;
use super::contract::Contract;
use crate::engine::Machine;
use crate::engine::condition::{Scope, TurnContext};
use crate::engine::io::Input;
use crate::engine::policy::no_intent;
use crate::engine::session::{Session, Settings, Symbol};
use crate::machine::{ClassId, ConditionId};

/// The class of a turn, and those that might have been.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Matching {
    /// The class; nothing where no class takes the turn.
    pub class: Option<ClassId>,
    /// Classes declared later that take it too.
    pub also: Vec<ClassId>,
    /// Classes that would enter, but lack the prior state that they require.
    pub refused: Vec<ClassId>,
}

/// The classes that take a turn; nothing for a machine without classes.
pub(super) fn matching(contract: &Contract, turn: &TurnContext<'_>) -> Option<Matching> {
    if contract.classes.is_empty() {
        return None;
    }
    let mut matching = Matching::default();
    for (id, class) in contract.classes.pairs() {
        let reads = class.readings.is_empty() || class.readings.contains(&turn.intent);
        // A condition that has no value does not hold.
        let holds = |condition: Option<ConditionId>| {
            condition.is_none_or(|condition| turn.evaluate(condition, Scope::All).unwrap_or(false))
        };
        if !reads || !holds(class.entry) {
            continue;
        }
        if !holds(class.requires) {
            matching.refused.push(id);
        } else if matching.class.is_none() {
            matching.class = Some(id);
        } else {
            matching.also.push(id);
        }
    }
    Some(matching)
}

impl Contract {
    /// The classes of a turn, without playing it: with this input, in a session that is as it is when the turn begins.
    pub fn classes_of(
        &self,
        machine: &Machine,
        settings: &Settings,
        session: &Session,
        input: &Input,
    ) -> Option<Matching> {
        let intent = input.intent.as_ref().and_then(Symbol::known).unwrap_or_else(no_intent);
        let carried = self.carried_over(machine, session);
        matching(self, &TurnContext::outside(machine, settings, session, &carried, input, intent))
    }

    /// The classes, each with whether the prior state is there that it requires, as the coverage gate of the last turn lets
    /// it through.
    pub fn prior_states(&self, machine: &Machine, settings: &Settings, session: &Session) -> Vec<(ClassId, bool)> {
        let carried = self.carried_over(machine, session);
        let intent = session.tracker.recent().next().unwrap_or_else(no_intent);
        let input = Input::default();
        let turn = TurnContext::outside(machine, settings, session, &carried, &input, intent);
        let holds = |condition| turn.evaluate(condition, Scope::All).unwrap_or(false);
        self.classes.pairs().map(|(id, class)| (id, class.requires.is_none_or(holds))).collect()
    }

    /// The session as the next turn finds it.
    fn carried_over(&self, machine: &Machine, session: &Session) -> Session {
        let mut carried = session.clone();
        withdraw(self, &machine.frames, &mut carried.slots);
        carried
    }
}
