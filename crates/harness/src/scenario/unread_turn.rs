//! A turn that got no answer.

use fsmsim_adapters::llm::{AnswerFailure, FailureKind};

/// A turn for which the recognizer, the judge or the subject did not answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnreadTurn {
    /// The number of the turn.
    pub turn: u32,
    /// Which answer is missing.
    pub what: UnreadKind,
    pub reason: String,
    /// Whether the cassette lacks the answer, so that another trial would have the same result.
    pub(super) is_lost: bool,
}

/// The kind of the missing answer.
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
    /// The message that says which answer is missing.
    pub fn words(self) -> &'static str {
        match self {
            Self::Read => "the utterance was not recognized",
            Self::Judge => "no judge evaluated the replies",
            Self::Subject => "the subject did not answer",
        }
    }
}
