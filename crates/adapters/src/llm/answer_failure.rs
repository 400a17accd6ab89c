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
    NoProvider,
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
            Self::NoProvider => "no provider is available",
            Self::TimeOut => "no answer within the time limit",
            Self::Refused => "cannot connect",
            Self::RateLimited => "too many requests",
            Self::ServerError => "the server failed",
            Self::CutOff => "the answer was cut off",
            Self::WrongSchema => "the answer does not match the schema",
            Self::Empty => "the answer is empty",
            Self::TooLarge => "the answer is too large",
            Self::Declined => "the model refused to answer",
            Self::Spent => "the budget of the run is spent",
            Self::NotRecorded => "the request is not recorded",
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
