//! A class of transitions, what outcomes of the backend mean, and what a turn can do against its class.

use crate::engine::{Scope, TurnContext};
use crate::machine::{
    ActionId, ClassId, ConditionId, Depth, FrameId, IntentId, OutcomeId, RuleId, SlotId, StateId,
    Value,
};
use fsmsim_syntax::diagnostic::Span;

/// A class of transitions: what it takes, what it carries over, changes and answers.
#[derive(Clone, Debug)]
pub struct TransitionClass {
    pub name: Box<str>,
    /// What it is, in words.
    pub title: Box<str>,
    pub owner: FrameId,
    /// The readings that it takes; any, where there are none.
    pub readings: Box<[IntentId]>,
    /// What else must hold for a turn to be of it.
    pub entry: Option<ConditionId>,
    /// It takes only turns that no other class takes.
    pub otherwise: bool,
    /// What must be there from before.
    pub requires: Option<ConditionId>,
    /// How much it carries over, at most.
    pub depth: Depth,
    /// The frames that it clears.
    pub clears: Box<[FrameId]>,
    /// The frames that it must not carry over.
    pub forbids: Box<[FrameId]>,
    /// The fields that stay as they are.
    pub preserves: Box<[Preserved]>,
    /// The modes in which it answers; the first, where no outcome says another.
    pub answers: Box<[Value]>,
    /// The field that names the route to be executed; nothing, where it executes none.
    pub executes: Option<SlotId>,
    /// How it acts, where it says so.
    pub action: Option<ActionId>,
    /// The state that it leads to; nothing, where it leads nowhere.
    pub mode: Option<StateId>,
    /// What holds after each turn of it.
    pub properties: Box<[Property]>,
    /// What it does are the operations of this rule. They are done once it is known what is carried over, so they are not
    /// those of the rule that leads to its mode.
    pub does: RuleId,
    /// Where it is declared.
    pub rule: RuleId,
    /// All that is written of it.
    pub body: Span,
}

impl TransitionClass {
    /// Whether it leaves a field as it is, at least at times.
    pub(super) fn preserves(&self, slot: SlotId) -> bool {
        self.preserves
            .iter()
            .any(|preserved| preserved.slot == slot)
    }

    /// Whether it may answer in a mode.
    pub(super) fn may_answer(&self, mode: &Value) -> bool {
        self.answers.is_empty() || self.answers.contains(mode)
    }
}

/// A field that a class leaves as it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Preserved {
    /// The field.
    pub slot: SlotId,
    /// Unless the turn itself brings this.
    pub unless: Option<SlotId>,
    /// Only where this holds, of the turn as it came to the class.
    pub when: Option<ConditionId>,
    /// Where it is written.
    pub rule: RuleId,
}

impl Preserved {
    /// Whether the field stays as it is in this turn.
    pub(super) fn stays(&self, turn: &TurnContext<'_>) -> bool {
        self.unless.is_none_or(|slot| turn.said(slot).is_null())
            && self.when.is_none_or(|when| turn.holds(when))
    }
}

/// Something that holds, or never holds, after a turn of a class.
#[derive(Clone, Debug)]
pub struct Property {
    pub name: Box<str>,
    pub condition: ConditionId,
    /// Whether it has to hold, or must not.
    pub must: bool,
    /// Where it is written.
    pub rule: RuleId,
}

/// What an outcome of the backend means for the class of the turn, beside what an outcome of any effect means.
#[derive(Clone, Debug)]
pub struct OutcomeRule {
    /// The outcome of the effect: `rows`, `partial`, `empty`, `error` and the like.
    pub outcome: OutcomeId,
    /// The mode of the answer.
    pub answer: Option<Value>,
    /// The class that takes the turn over.
    pub becomes: Option<ClassId>,
    /// All that is written of it.
    pub body: Span,
}

/// Something that a turn did and its contract does not allow. A turn that is played here cannot carry over too much, so
/// only one that somebody else played does.
#[derive(Clone, Debug, PartialEq)]
pub enum Violation {
    /// No class takes the turn.
    Unclassified,
    /// The class does not take such a turn; and which does, if any.
    OtherClass(Option<ClassId>),
    /// The backend came to something of which the contract says nothing.
    UnknownOutcome(Box<str>),
    /// A frame was carried over that is deeper than allowed: by the class, or by the coverage gate.
    TooDeep(FrameId, Depth),
    /// A frame was carried over that the class forbids.
    Forbidden(FrameId),
    /// A field changed that the class preserves.
    Changed(SlotId, RuleId),
    /// A field does not hold what the class, or the outcome, puts there; and where that is written.
    NotDone(SlotId, Value, RuleId),
    /// A field was to hold what it may not hold. Where a turn is played here, it keeps what it held.
    Value {
        /// The field.
        slot: SlotId,
        /// What was to be put there.
        value: Value,
    },
    /// The class does not answer in this mode.
    Answer { class: ClassId, mode: Value },
    /// A property of the class is broken.
    Property {
        class: ClassId,
        /// The property, by its place.
        property: usize,
    },
}

impl Violation {
    /// The properties of a class that do not hold after a turn. A condition without a value breaks the property.
    pub(super) fn of_properties(
        class: &TransitionClass,
        id: ClassId,
        turn: &TurnContext<'_>,
    ) -> impl Iterator<Item = Self> {
        let breaks = |rule: &Property| {
            turn.evaluate(rule.condition, Scope::All)
                .unwrap_or(!rule.must)
                != rule.must
        };
        let broken = class
            .properties
            .iter()
            .enumerate()
            .filter(move |(_, rule)| breaks(rule));
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
