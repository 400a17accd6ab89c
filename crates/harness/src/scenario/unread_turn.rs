//! A turn that nobody could judge.

use fsmsim_adapters::llm::{AnswerFailure, FailureKind};

/// A turn in which nobody could read what was said, or judge what was answered, since the outside was not there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnreadTurn {
    /// The number of the turn.
    pub turn: u32,
    /// What nobody did.
    pub what: UnreadKind,
    /// Why nobody could.
    pub reason: String,
    /// It was not recorded, so that another play comes to the same.
    pub(super) is_lost: bool,
}

/// What nobody did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnreadKind {
    /// Read what was said.
    Read,
    /// Judge the replies.
    Judge,
    /// Answer in the place of the model.
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
    pub(super) fn of_subject(turn: u32, reason: String) -> Self {
        Self {
            turn,
            what: UnreadKind::Subject,
            reason,
            is_lost: false,
        }
    }
}

impl UnreadKind {
    /// What nobody did, in words.
    pub fn words(self) -> &'static str {
        match self {
            Self::Read => "nobody could read what was said",
            Self::Judge => "nobody judged the replies",
            Self::Subject => "the subject gave no answer",
        }
    }
}
