//! A turn that got no answer.

use fsmsim_adapters::llm::{AnswerFailure, FailureKind};

/// A turn in which the recognizer, the judge or the subject did not answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnreadTurn {
    /// The number of the turn.
    pub turn: u32,
    /// The missing answer.
    pub what: UnreadKind,
    pub reason: String,
    /// Whether it is missing in the cassette, so that another trial has the same result.
    pub(super) is_lost: bool,
}

/// The kind of a missing answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnreadKind {
    /// The interpretation of the utterance.
    Read,
    /// The verdict on the replies.
    Judge,
    /// The answer of the subject.
    Subject,
}

impl UnreadTurn {
    pub(super) fn new(turn: u32, what: UnreadKind, failure: &AnswerFailure) -> Self {
        Self {
            turn,
            what,
            reason: failure.reason.clone(),
            is_lost: failure.kind == FailureKind::NotRecorded,
        }
    }

    /// A turn that a subject did not answer.
    pub(super) fn by_subject(turn: u32, reason: String) -> Self {
        Self {
            turn,
            what: UnreadKind::Subject,
            reason,
            is_lost: false,
        }
    }
}

impl UnreadKind {
    /// The message about the missing answer.
    pub fn words(self) -> &'static str {
        match self {
            Self::Read => "the utterance was not recognized",
            Self::Judge => "no judge evaluated the replies",
            Self::Subject => "the subject did not answer",
        }
    }
}
