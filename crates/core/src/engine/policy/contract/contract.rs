//! The registry of transition classes: what each turn may carry over, changes and answers.

use super::{OutcomeRule, Property, TransitionClass};
use crate::engine::effects::{DONE, ERROR};
use crate::engine::{DOWN, Machine, Slots};
use crate::machine::{ClassId, Depth, EffectId, IdVec, Outcome, OutcomeId, SlotId};

/// The registry of a machine: the classes of transitions, and what outcomes of the backend mean.
#[derive(Clone, Debug, Default)]
pub struct Contract {
    /// The classes, in the order in which they are tried.
    pub classes: IdVec<ClassId, TransitionClass>,
    /// What outcomes of the backend mean.
    pub outcomes: Box<[OutcomeRule]>,
    /// The effect that executes routes.
    pub executes: Option<EffectId>,
    /// The field of the coverage gate that says how much the next turn may carry over.
    pub eligibility: Option<SlotId>,
    /// The field that holds the mode of the last answer.
    pub answer: Option<SlotId>,
    /// The fields to which classes or outcomes append.
    pub appended: Box<[SlotId]>,
    /// The contract is the whole machine: a turn that no class takes does nothing.
    pub is_whole: bool,
}

impl Contract {
    /// What stands for the class of a turn that no class takes.
    pub const UNCLASSIFIED: &str = "unclassified";
    /// The action of a turn on which no class acts.
    pub const NO_ACTION: &str = "none";

    /// The class of a name.
    pub fn class(&self, name: &str) -> Option<(ClassId, &TransitionClass)> {
        self.classes.pairs().find(|(_, class)| &*class.name == name)
    }

    /// What it means that the backend came to this. What the contract does not know is an error, unless it is done.
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

    /// How much the coverage gate lets through, where it says so.
    pub(super) fn eligible(&self, slots: &Slots) -> Option<Depth> {
        Depth::from_name(slots.get(self.eligibility?).as_text()?)
    }

    /// A class with its id.
    pub(super) fn entry(&self, id: Option<ClassId>) -> Option<(ClassId, &TransitionClass)> {
        Some((id?, self.classes.lookup(id?)?))
    }

    /// Whether the contract says what it means that the backend came to this. A backend that does not answer has failed, if
    /// the contract says what that means.
    pub(super) fn knows(status: &str, outcome: Option<&Outcome>) -> bool {
        outcome.is_some_and(|outcome| *outcome.status == *status || status == DOWN)
    }

    /// What an outcome of the effect means for the class.
    pub(super) fn rule_of(&self, outcome: OutcomeId) -> Option<&OutcomeRule> {
        self.outcomes.iter().find(|rule| rule.outcome == outcome)
    }

    /// A property of a class, by its place.
    pub fn property(&self, class: ClassId, place: usize) -> Option<&Property> {
        self.classes.lookup(class)?.properties.get(place)
    }

    /// Whether a class takes only what no other does.
    pub(super) fn takes_the_rest(&self, class: ClassId) -> bool {
        self.classes
            .lookup(class)
            .is_some_and(|class| class.otherwise)
    }

    /// What may stand for the class of a turn.
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
