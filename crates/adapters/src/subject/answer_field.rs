//! What a part of an answer is to a turn.

use strum::{IntoStaticStr, VariantArray};

use fsmsim_core::trace::RecordField;

/// What a part of an answer is to a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, VariantArray, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum AnswerField {
    /// What was said: a text, or a list of texts.
    Replies,
    /// The state where the turn led.
    State,
    Phase,
    /// What the user was taken to mean.
    Intent,
    /// What was done.
    Action,
    /// What kind of turn it was.
    Class,
    /// The same by the registry of a contract.
    ContractClass,
    /// The data behind the turn.
    Data,
    /// Whether the dialogue is over.
    Final,
    /// The counters behind the turn.
    Counters,
    /// The points of an interview.
    Points,
    /// What was done to the world.
    Effects,
    /// The name that the subject gives to the dialogue.
    Session,
}

/// What a value must be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AnswerShape {
    /// A text, or nothing.
    Name,
    /// A text or a list of texts.
    Texts,
    /// `true` or `false`.
    Flag,
    Map,
    List,
}

impl AnswerField {
    /// The field of a record that tells it; nothing where none does.
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

    /// What its values must be.
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
    /// What it is, for messages.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Name => "a name",
            Self::Texts => "a text or a list of texts",
            Self::Flag => "`true` or `false`",
            Self::Map => "a map",
            Self::List => "a list",
        }
    }
}
