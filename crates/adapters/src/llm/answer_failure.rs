//! Reasons why a request has no answer.

use serde::{Deserialize, Serialize};
use strum::{EnumString, IntoStaticStr, VariantArray};

/// The reason why a request has no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AnswerFailure {
    pub kind: FailureKind,
    /// A description, as a sentence.
    pub reason: String,
}

/// The kinds of failures.
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
    /// No provider is available.
    Nobody,
    /// The timeout expired.
    TimeOut,
    /// The connection was refused.
    Refused,
    /// The rate limit was exceeded.
    RateLimited,
    /// The server failed.
    ServerError,
    /// The answer is truncated.
    CutOff,
    /// The answer violates the schema.
    WrongSchema,
    /// The answer is empty.
    Empty,
    /// The answer is too large.
    TooLarge,
    /// The model, or a filter in front of it, refused to answer.
    Declined,
    /// The budget of the run is exhausted.
    Spent,
    /// The request was not recorded.
    NotRecorded,
}

impl FailureKind {
    /// A description, as a sentence.
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

    /// A failure of this kind with its description.
    pub fn because(self, reason: impl Into<String>) -> AnswerFailure {
        AnswerFailure {
            kind: self,
            reason: reason.into(),
        }
    }
}
