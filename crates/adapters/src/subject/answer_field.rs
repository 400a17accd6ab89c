//! The parts of an answer that map to a turn.

use strum::{IntoStaticStr, VariantArray};

use fsmsim_core::trace::RecordField;

/// A part of an answer that maps to a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, VariantArray, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum AnswerField {
    /// The replies: a string, or a list of strings.
    Replies,
    /// The state after the turn.
    State,
    Phase,
    /// The recognized intent.
    Intent,
    /// The action.
    Action,
    /// The transition class of the turn.
    Class,
    /// The contract class of the turn.
    ContractClass,
    /// The data after the turn.
    Data,
    /// Whether the dialogue has ended.
    Final,
    /// The counters after the turn.
    Counters,
    /// The points of an interview.
    Points,
    /// The performed effects.
    Effects,
    /// The session ID that the system under test assigns to the dialogue.
    Session,
}

/// Which of the mapped replies belong to a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, VariantArray, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub(super) enum ReplyScope {
    /// Replies that the answer to the turn before does not contain.
    Turn,
    /// All replies in the answer, even if they repeat earlier ones.
    Answer,
}

/// The type of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AnswerShape {
    /// A string or null.
    Name,
    /// A string or a list of strings.
    Texts,
    /// A boolean.
    Flag,
    Map,
    List,
}

impl AnswerField {
    /// The record field that contains this part, if any.
    pub fn record_field(self) -> Option<RecordField> {
        Some(match self {
            Self::Replies => RecordField::Replies,
            Self::State => RecordField::State,
            Self::Phase => RecordField::Phase,
            Self::Action => RecordField::Action,
            Self::Class => RecordField::Class,
            Self::ContractClass => RecordField::ContractClass,
            Self::Data => RecordField::Data,
            Self::Final => RecordField::Final,
            Self::Counters => RecordField::Counters,
            Self::Points => RecordField::Points,
            Self::Effects => RecordField::Effects,
            Self::Intent | Self::Session => return None,
        })
    }

    /// The required type of its values.
    pub(super) fn shape(self) -> AnswerShape {
        match self {
            Self::Replies => AnswerShape::Texts,
            Self::Final => AnswerShape::Flag,
            Self::Data | Self::Counters => AnswerShape::Map,
            Self::Points | Self::Effects => AnswerShape::List,
            _ => AnswerShape::Name,
        }
    }

    /// The name under `map`.
    pub fn name(self) -> &'static str {
        self.into()
    }
}

impl AnswerShape {
    /// The name for messages.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Name => "a name",
            Self::Texts => "a string or a list of strings",
            Self::Flag => "a boolean",
            Self::Map => "a map",
            Self::List => "a list",
        }
    }
}
