//! Breaches: what a turn did that its contract does not allow.

use crate::machine::{ClassId, RuleId, SlotId, Value};

/// Something that a turn did and its contract does not allow.
#[derive(Clone, Debug, PartialEq)]
pub enum Breach {
    /// No class takes the turn.
    Unclassified,
    /// The backend came to something of which the contract says nothing.
    UnknownOutcome(Box<str>),
    /// A field was to hold what it may not hold. It keeps what it held.
    Value {
        /// The field.
        slot: SlotId,
        /// What was to be put there.
        value: Value,
        /// Where that is written.
        rule: RuleId,
    },
    /// The class does not answer in this mode.
    Answer {
        /// The class.
        class: ClassId,
        /// The mode.
        mode: Value,
    },
    /// A property of the class is broken.
    Property {
        /// The class.
        class: ClassId,
        /// The property, by its place.
        property: usize,
    },
}

impl Breach {
    /// The name in records.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Unclassified => "unclassified",
            Self::UnknownOutcome(_) => "unknown_outcome",
            Self::Value { .. } => "value_not_allowed",
            Self::Answer { .. } => "answer_not_allowed",
            Self::Property { .. } => "broken_property",
        }
    }
}
