//! Transition classes, the meaning of back-end outcomes, and violations of a class.

use crate::engine::{Scope, TurnContext};
use crate::machine::{
    ActionId, ClassId, ConditionId, Depth, FrameId, IntentId, OutcomeId, RuleId, SlotId, StateId,
    Value,
};

/// A class of transitions: its conditions, carryover, changes and answers.
#[derive(Clone, Debug)]
pub struct TransitionClass {
    pub name: Box<str>,
    /// A description.
    pub title: Box<str>,
    pub owner: FrameId,
    /// The intents that the class matches; if empty, any intent.
    pub intents: Box<[IntentId]>,
    /// A further condition for turns of the class.
    pub entry: Option<ConditionId>,
    /// Whether the class matches only turns that no other class matches.
    pub fallback: bool,
    /// The required prior state.
    pub requires: Option<ConditionId>,
    /// The maximum depth of the carryover.
    pub depth: Depth,
    /// The frames that the class clears.
    pub clears: Box<[FrameId]>,
    /// The frames that the class must not carry over.
    pub forbids: Box<[FrameId]>,
    /// The fields that the class preserves.
    pub preserves: Box<[Preserved]>,
    /// The allowed answer modes; the first is the default.
    pub answers: Box<[Value]>,
    /// The field that names the route to execute; `None` if the class executes no route.
    pub executes: Option<Preserved>,
    /// The action, if the class has one.
    pub action: Option<ActionId>,
    /// The target state; `None` if the state does not change.
    pub mode: Option<StateId>,
    /// The properties that each turn of the class must satisfy.
    pub properties: Box<[Property]>,
    /// The rule whose operations the class runs. They run when the carryover is known, so they are not part of the rule
    /// for the mode.
    pub does: RuleId,
    /// The location of the class name.
    pub rule: RuleId,
}

impl TransitionClass {
    /// Whether the class preserves a field, at least under some conditions.
    pub(super) fn preserves(&self, slot: SlotId) -> bool {
        self.preserves
            .iter()
            .any(|preserved| preserved.slot == slot)
    }

    /// Whether the class allows an answer mode.
    pub(super) fn may_answer(&self, mode: &Value) -> bool {
        self.answers.is_empty() || self.answers.contains(mode)
    }
}

/// A field that a class preserves, or whose route it executes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Preserved {
    pub slot: SlotId,
    /// Not preserved or executed if the turn has a value for this slot.
    pub unless: Option<SlotId>,
    /// Preserved or executed only if this condition holds at the start of the turn.
    pub when: Option<ConditionId>,
    /// The location of the declaration.
    pub rule: RuleId,
}

impl Preserved {
    /// Whether the field is preserved, or its route executed, in this turn.
    pub(super) fn applies(&self, turn: &TurnContext<'_>) -> bool {
        self.unless.is_none_or(|slot| turn.said(slot).is_null())
            && self.when.is_none_or(|when| turn.holds(when))
    }
}

/// A condition that must hold, or must not hold, after a turn of a class.
#[derive(Clone, Debug)]
pub struct Property {
    pub name: Box<str>,
    pub condition: ConditionId,
    /// Whether the condition must hold; otherwise, it must not hold.
    pub must: bool,
    /// The location of the declaration.
    pub rule: RuleId,
}

/// The meaning of a back-end outcome for the class, in addition to its meaning as an outcome of an effect.
#[derive(Clone, Debug)]
pub struct OutcomeRule {
    /// The outcome of the effect, such as `rows`, `partial`, `empty` or `error`.
    pub outcome: OutcomeId,
    /// The answer mode.
    pub answer: Option<Value>,
    /// The class that takes over the turn.
    pub becomes: Option<ClassId>,
}

/// A violation of the contract by a turn. Only a turn of an external system can violate the carryover.
#[derive(Clone, Debug, PartialEq)]
pub enum Violation {
    /// No class matches the turn.
    Unclassified,
    /// The class does not match the turn; contains the class that does match, if any.
    OtherClass(Option<ClassId>),
    /// The contract does not define the outcome of the back end.
    UnknownOutcome(Box<str>),
    /// A frame was carried over that exceeds the depth of the class or of the coverage gate.
    TooDeep(FrameId, Depth),
    /// A frame was carried over that the class forbids.
    Forbidden(FrameId),
    /// A preserved field changed.
    Changed(SlotId, RuleId),
    /// A field does not have the value that the class or the outcome sets; contains the location that sets it.
    NotDone(SlotId, Value, RuleId),
    /// A field was set to a value that it does not accept. The engine leaves such a field unchanged.
    Value {
        slot: SlotId,
        /// The rejected value.
        value: Value,
    },
    /// The class does not allow this answer mode.
    Answer { class: ClassId, mode: Value },
    /// A property of the class is violated.
    Property {
        class: ClassId,
        /// The index of the property.
        property: usize,
    },
}

impl Violation {
    /// The properties of a class that do not hold after a turn. A condition without a value violates the property.
    pub(super) fn of_properties(
        class: &TransitionClass,
        id: ClassId,
        turn: &TurnContext<'_>,
    ) -> impl Iterator<Item = Self> {
        let is_violated = |rule: &Property| {
            turn.evaluate(rule.condition, Scope::All)
                .unwrap_or(!rule.must)
                != rule.must
        };
        class
            .properties
            .iter()
            .enumerate()
            .filter(move |(_, rule)| is_violated(rule))
            .map(move |(property, _)| Self::Property {
                class: id,
                property,
            })
    }

    /// The name in records and reports.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Unclassified => "unclassified",
            Self::UnknownOutcome(_) => "unknown_outcome",
            Self::Value { .. } => "value_not_allowed",
            Self::Answer { .. } => "answer_not_allowed",
            Self::Property { .. } => "broken_property",
            Self::Changed(..) => "not_preserved",
            Self::OtherClass(_) => "forbidden_class",
            Self::TooDeep(..) | Self::Forbidden(_) => "illegal_carryover",
            Self::NotDone(..) => "not_as_declared",
        }
    }
}
