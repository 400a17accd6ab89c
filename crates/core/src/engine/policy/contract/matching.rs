//! Matching: the first class whose entry condition and required prior state hold.

use super::carryover::withdraw;
use super::contract::Contract;
use super::lack::{RefusedClass, lacks};
use crate::engine::Machine;
use crate::engine::condition::TurnContext;
use crate::engine::io::{Input, no_intent};
use crate::engine::session::{Session, Settings, Symbol};
use crate::machine::{ClassId, ConditionId, SlotId, Value};

/// The class of a turn, and those that might have been.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Matching {
    /// The class; nothing where no class takes the turn.
    pub class: Option<ClassId>,
    /// Classes declared later that take it too.
    pub also: Vec<ClassId>,
    /// Classes that would enter, but lack the prior state that they require.
    pub refused: Vec<RefusedClass>,
}

/// The classes that take a turn; nothing for a machine without classes. `withdrawn` is what the coverage gate took away.
pub(super) fn matching(
    contract: &Contract,
    turn: &TurnContext<'_>,
    withdrawn: &[(SlotId, Value)],
) -> Option<Matching> {
    if contract.classes.is_empty() {
        return None;
    }
    let mut matching = Matching::default();
    // A condition that has no value does not hold.
    let holds =
        |condition: Option<ConditionId>| condition.is_none_or(|condition| turn.holds(condition));
    let by = |otherwise| {
        contract
            .classes
            .pairs()
            .filter(move |(_, class)| class.otherwise == otherwise)
    };
    for (id, class) in by(false).chain(by(true)) {
        if class.otherwise
            && matching
                .class
                .is_some_and(|taken| !contract.takes_the_rest(taken))
        {
            break;
        }
        let reads = class.readings.is_empty() || class.readings.contains(&turn.intent);
        if !reads || !holds(class.entry) {
            continue;
        }
        if !holds(class.requires) {
            let mut lacking = Vec::new();
            if let Some(condition) = class.requires {
                // Why it is lacking is asked beside the turn.
                lacks(
                    condition,
                    &TurnContext {
                        watch: None,
                        ..*turn
                    },
                    withdrawn,
                    &mut lacking,
                );
            }
            matching.refused.push(RefusedClass {
                class: id,
                lacks: lacking,
            });
        } else if matching.class.is_none() {
            matching.class = Some(id);
        } else if !class.otherwise {
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
        let intent = input
            .intent
            .as_ref()
            .and_then(Symbol::known)
            .unwrap_or_else(no_intent);
        let (carried, withdrawn) = self.carried_over(machine, session);
        matching(
            self,
            &TurnContext::new(machine, settings, session, &carried, input, intent),
            &withdrawn,
        )
    }

    /// The classes, each with whether the prior state is there that it requires, as the coverage gate of the last turn lets
    /// it through.
    pub fn prior_states(
        &self,
        machine: &Machine,
        settings: &Settings,
        session: &Session,
    ) -> Vec<(ClassId, bool)> {
        let (carried, _) = self.carried_over(machine, session);
        let intent = session.tracker.recent().next().unwrap_or_else(no_intent);
        let input = Input::default();
        let turn = TurnContext::new(machine, settings, session, &carried, &input, intent);
        let holds = |condition| turn.holds(condition);
        self.classes
            .pairs()
            .map(|(id, class)| (id, class.requires.is_none_or(holds)))
            .collect()
    }

    /// The session as the next turn finds it, and what the coverage gate takes away.
    pub(super) fn carried_over(
        &self,
        machine: &Machine,
        session: &Session,
    ) -> (Session, Vec<(SlotId, Value)>) {
        let mut carried = session.clone();
        let withdrawn = withdraw(self, &machine.frames, &mut carried.slots);
        (carried, withdrawn)
    }
}
