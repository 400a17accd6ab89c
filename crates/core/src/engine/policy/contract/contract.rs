//! The registry of transition classes: the carryover, changes and answers of each turn.

use super::{OutcomeRule, Property, TransitionClass};
use crate::engine::effects::{DONE, ERROR};
use crate::engine::{DOWN, Machine, Slots};
use crate::machine::{ClassId, Depth, EffectId, IdVec, Outcome, OutcomeId, SlotId};

/// The registry of a machine: the classes of transitions, and the meaning of back-end outcomes.
#[derive(Clone, Debug, Default)]
pub struct Contract {
    /// The classes, in match order.
    pub classes: IdVec<ClassId, TransitionClass>,
    /// The meaning of back-end outcomes.
    pub outcomes: Box<[OutcomeRule]>,
    /// The effect that executes routes.
    pub executes: Option<EffectId>,
    /// The coverage-gate field, which contains the depth of the next carryover.
    pub eligibility: Option<SlotId>,
    /// The field with the mode of the last answer.
    pub answer: Option<SlotId>,
    /// The fields that classes or outcomes append to.
    pub appended: Box<[SlotId]>,
    /// Whether the contract is the complete machine: a turn that no class matches does nothing.
    pub is_whole: bool,
}

impl Contract {
    /// The class name of a turn that no class matches.
    pub const UNCLASSIFIED: &str = "unclassified";
    /// The action of a turn if its class has none.
    pub const NO_ACTION: &str = "none";

    /// The class with this name.
    pub fn class(&self, name: &str) -> Option<(ClassId, &TransitionClass)> {
        self.classes.pairs().find(|(_, class)| &*class.name == name)
    }

    /// The rule for an outcome of the back end. An undefined outcome counts as an error, unless it means success.
    pub fn outcome(&self, machine: &Machine, status: &str) -> Option<&OutcomeRule> {
        let named = |name: &str| {
            self.outcomes
                .iter()
                .find(|rule| &*machine.outcomes[rule.outcome].status == name)
        };
        named(status).or_else(|| {
            if DONE.contains(&status) {
                None
            } else {
                named(ERROR)
            }
        })
    }

    /// The depth that the coverage gate lets through, if it is set.
    pub(super) fn eligible(&self, slots: &Slots) -> Option<Depth> {
        Depth::from_name(slots.get(self.eligibility?).as_text()?)
    }

    /// A class with its ID.
    pub(super) fn entry(&self, id: Option<ClassId>) -> Option<(ClassId, &TransitionClass)> {
        Some((id?, self.classes.lookup(id?)?))
    }

    /// Whether the contract defines the outcome of the back end. A missing answer is also defined if the contract
    /// defines the outcome for errors.
    pub(super) fn knows(status: &str, outcome: Option<&Outcome>) -> bool {
        outcome.is_some_and(|outcome| *outcome.status == *status || status == DOWN)
    }

    /// The rule for an outcome of the effect.
    pub(super) fn rule_of(&self, outcome: OutcomeId) -> Option<&OutcomeRule> {
        self.outcomes.iter().find(|rule| rule.outcome == outcome)
    }

    /// The property of a class at an index.
    pub fn property(&self, class: ClassId, place: usize) -> Option<&Property> {
        self.classes.lookup(class)?.properties.get(place)
    }

    /// Whether a class matches only turns that no other class matches.
    pub(super) fn takes_the_rest(&self, class: ClassId) -> bool {
        self.classes
            .lookup(class)
            .is_some_and(|class| class.fallback)
    }

    /// All possible class names of a turn.
    pub(super) fn class_names(&self) -> impl Iterator<Item = &str> {
        self.classes
            .iter()
            .map(|class| &*class.name)
            .chain([Self::UNCLASSIFIED])
    }

    pub fn class_name(&self, class: ClassId) -> &str {
        self.classes.lookup(class).map_or("", |class| &class.name)
    }
}
