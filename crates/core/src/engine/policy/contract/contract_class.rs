//! Transition classes, the meaning of back-end outcomes, and violations of a class.

use crate::engine::{Scope, TurnContext};
use crate::machine::{
    ActionId, ClassId, ConditionId, Depth, FrameId, IntentId, OutcomeId, RuleId, SlotId, StateId,
    Value,
};
use fsmsim_syntax::diagnostic::Span;

/// A class of transitions: its conditions, carryover, changes and answers.
#[derive(Clone, Debug)]
pub struct TransitionClass {
    pub name: Box<str>,
    /// A description.
    pub title: Box<str>,
    pub owner: FrameId,
    /// The intents that it matches; empty means any.
    pub intents: Box<[IntentId]>,
    /// Further conditions for a turn of the class.
    pub entry: Option<ConditionId>,
    /// Whether it matches only turns that no other class matches.
    pub fallback: bool,
    /// The required prior state.
    pub requires: Option<ConditionId>,
    /// The maximum depth of its carryover.
    pub depth: Depth,
    /// The frames that it clears.
    pub clears: Box<[FrameId]>,
    /// The frames that it must not carry over.
    pub forbids: Box<[FrameId]>,
    /// The fields that it preserves.
    pub preserves: Box<[Preserved]>,
    /// The allowed modes of its answer; the first is the default.
    pub answers: Box<[Value]>,
    /// The field with the name of the route to execute; nothing if it executes none.
    pub executes: Option<SlotId>,
    /// The action, if it has one.
    pub action: Option<ActionId>,
    /// The target state; nothing if the turn stays.
    pub mode: Option<StateId>,
    /// The properties of each of its turns.
    pub properties: Box<[Property]>,
    /// The rule whose operations it runs. They run when the carryover is known, so they are not those of the rule for
    /// its mode.
    pub does: RuleId,
    /// The location of its name.
    pub rule: RuleId,
    /// The location of its complete definition.
    pub body: Span,
}

impl TransitionClass {
    /// Whether it preserves a field, at least under some conditions.
    pub(super) fn preserves(&self, slot: SlotId) -> bool {
        self.preserves
            .iter()
            .any(|preserved| preserved.slot == slot)
    }

    /// Whether it allows a mode of the answer.
    pub(super) fn may_answer(&self, mode: &Value) -> bool {
        self.answers.is_empty() || self.answers.contains(mode)
    }
}

/// A field that a class preserves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Preserved {
    pub slot: SlotId,
    /// Not preserved if the turn has a value for this slot.
    pub unless: Option<SlotId>,
    /// Preserved only if this holds at the start of the turn.
    pub when: Option<ConditionId>,
    /// Its location.
    pub rule: RuleId,
}

impl Preserved {
    /// Whether the field is preserved in this turn.
    pub(super) fn stays(&self, turn: &TurnContext<'_>) -> bool {
        self.unless.is_none_or(|slot| turn.said(slot).is_null())
            && self.when.is_none_or(|when| turn.holds(when))
    }
}

/// A condition that must hold, or must not, after a turn of a class.
#[derive(Clone, Debug)]
pub struct Property {
    pub name: Box<str>,
    pub condition: ConditionId,
    /// Whether it must hold; otherwise it must not.
    pub must: bool,
    /// Its location.
    pub rule: RuleId,
}

/// The meaning of an outcome of the back end for the class, in addition to that of any effect.
#[derive(Clone, Debug)]
pub struct OutcomeRule {
    /// The outcome of the effect, such as `rows`, `partial`, `empty` or `error`.
    pub outcome: OutcomeId,
    /// The mode of the answer.
    pub answer: Option<Value>,
    /// The class that takes over the turn.
    pub becomes: Option<ClassId>,
    /// The location of its complete definition.
    pub body: Span,
}

/// A violation of the contract by a turn. Only a turn of an external system can violate the carryover.
#[derive(Clone, Debug, PartialEq)]
pub enum Violation {
    /// No class matches the turn.
    Unclassified,
    /// The class does not match the turn; contains the class that does, if any.
    OtherClass(Option<ClassId>),
    /// The contract does not define the outcome of the back end.
    UnknownOutcome(Box<str>),
    /// A frame was carried over that exceeds the depth of the class or of the coverage gate.
    TooDeep(FrameId, Depth),
    /// A frame was carried over that the class forbids.
    Forbidden(FrameId),
    /// A preserved field changed.
    Changed(SlotId, RuleId),
    /// A field does not have the value that the class or the outcome sets, with the location of that.
    NotDone(SlotId, Value, RuleId),
    /// A field was set to a value that it does not accept. The engine leaves such a field unchanged.
    Value {
        slot: SlotId,
        /// The rejected value.
        value: Value,
    },
    /// The class does not allow this mode of the answer.
    Answer { class: ClassId, mode: Value },
    /// A property of the class is violated.
    Property {
        class: ClassId,
        /// The property, by its index.
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
        let broken = class
            .properties
            .iter()
            .enumerate()
            .filter(move |(_, rule)| is_violated(rule));
        broken.map(move |(property, _)| Self::Property {
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
