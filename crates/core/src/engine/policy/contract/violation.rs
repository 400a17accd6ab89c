//! What a turn did that its contract does not allow.

use super::transition_class::{Property, TransitionClass};
use crate::engine::condition::TurnContext;
use crate::engine::session::Scope;
use crate::machine::{ClassId, Depth, FrameId, RuleId, SlotId, Value};

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
