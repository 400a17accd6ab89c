//! Why nobody answered.

use serde::{Deserialize, Serialize};
use strum::{EnumString, IntoStaticStr, VariantArray};

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AnswerFailure {
    pub kind: FailureKind,
    /// What happened, in a sentence.
    pub reason: String,
}

/// The ways in which an answer fails to come.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    Serialize,
    Deserialize,
    EnumString,
    IntoStaticStr,
    VariantArray,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum FailureKind {
    /// Nobody is there to ask.
    Nobody,
    /// Nothing came in time.
    TimeOut,
    /// The connection was refused.
    Refused,
    /// Too many requests.
    RateLimited,
    /// The other side failed.
    ServerError,
    /// The answer broke off.
    CutOff,
    /// The answer is not what was asked for.
    WrongSchema,
    /// The answer is empty.
    Empty,
    /// The answer is too large.
    TooLarge,
    /// The model, or a filter in front of it, does not want to answer.
    Declined,
    /// What the run may spend is spent.
    Spent,
    /// It was not recorded.
    NotRecorded,
}

impl FailureKind {
    /// What happened, in a sentence.
    pub fn sentence(self) -> &'static str {
        match self {
            Self::Nobody => "nobody was there to ask",
            Self::TimeOut => "no answer came in time",
            Self::Refused => "the connection was refused",
            Self::RateLimited => "too many requests were made",
            Self::ServerError => "the other side failed",
            Self::CutOff => "the answer broke off",
            Self::WrongSchema => "the answer is not what was asked for",
            Self::Empty => "the answer was empty",
            Self::TooLarge => "the answer was too large",
            Self::Declined => "the model declined to answer",
            Self::Spent => "what the run may spend is spent",
            Self::NotRecorded => "it was not recorded",
        }
    }

    pub fn failure(self) -> AnswerFailure {
        self.because(self.sentence())
    }

    /// A failure of this kind, with what happened in a sentence.
    pub fn because(self, reason: impl Into<String>) -> AnswerFailure {
        AnswerFailure {
            kind: self,
            reason: reason.into(),
        }
    }
}
