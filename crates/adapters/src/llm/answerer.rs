//! The port through which answers come.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value as Json;
use strum::{EnumString, IntoStaticStr, VariantArray};

use super::answerer_config::DialogueKey;
use super::task::Task;
use fsmsim_core::machine::Value;
use fsmsim_syntax::diagnostic::Diagnostics;

/// Somebody who may answer what a turn needs from outside.
pub trait Answerer: Send {
    /// Answers a request. Each attempt that came to nothing is added to `failed`, with the name of who failed.
    fn answer(&mut self, request: &Request<'_>, failed: &mut Vec<Attempt>)
    -> Option<AnswererReply>;

    /// Whether anybody is there to ask.
    fn is_there(&self) -> bool {
        true
    }

    /// The dialogue is played once more, from its beginning.
    fn rewind(&mut self, _key: &DialogueKey<'_>) {}

    /// What it remembers of the dialogue so far; null where it remembers nothing.
    fn memory(&self) -> Json {
        Json::Null
    }

    /// Takes on what it remembered when the dialogue was left. What it could not have remembered is passed over.
    fn recall(&mut self, _memory: &Json) {}

    /// The dialogue ends before its time: that something is not asked any more means nothing.
    fn break_off(&mut self) {}

    /// The dialogue is over: what is to be kept of it is written, and what is to be said about it is told. Errors mean
    /// that the dialogue is of no use.
    fn finish(&mut self, _found: &mut Diagnostics) {}
}

/// What is asked, and when.
#[derive(Clone, Debug)]
pub struct Request<'a> {
    /// What is asked.
    pub task: Task<'a>,
    /// The number of the turn, from 1.
    pub turn: u32,
}

/// An answer.
#[derive(Clone, Debug, PartialEq)]
pub struct AnswererReply {
    /// Who gave it.
    pub by: Arc<str>,
    /// What it says.
    pub value: Value,
    /// Whether a model gave it just now, so that it may be another one next time.
    pub fresh: bool,
    /// What it cost.
    pub tokens: Tokens,
    /// Why the model stopped, in the words of its server.
    pub stop: Option<Box<str>>,
}

/// Tokens as a server counts them; 0 where it does not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tokens {
    /// Of what was asked.
    pub asked: u64,
    /// Of what was answered.
    pub answered: u64,
    /// Those of what was asked that the server still knew.
    #[serde(default, skip_serializing_if = "is_none")]
    pub cached: u64,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "as whoever writes fields asks"
)]
fn is_none(count: &u64) -> bool {
    *count == 0
}

impl std::ops::AddAssign for Tokens {
    fn add_assign(&mut self, more: Self) {
        // A server may count what it likes.
        self.asked = self.asked.saturating_add(more.asked);
        self.answered = self.answered.saturating_add(more.answered);
        self.cached = self.cached.saturating_add(more.cached);
    }
}

impl AnswererReply {
    /// An answer that cost nothing and is always the same.
    pub fn free(by: Arc<str>, value: Value) -> Self {
        Self {
            by,
            value,
            fresh: false,
            tokens: Tokens::default(),
            stop: None,
        }
    }
}

/// An attempt that came to nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attempt {
    /// Who was asked.
    pub by: Arc<str>,
    /// Why there was no answer.
    pub failure: AnswerFailure,
}

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AnswerFailure {
    /// What kind of failure it is.
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

    /// A failure of this kind.
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

/// An answerer for those who have none.
#[derive(Clone, Copy, Debug)]
pub struct Nobody;

impl Answerer for Nobody {
    fn is_there(&self) -> bool {
        false
    }

    fn answer(&mut self, _: &Request<'_>, _: &mut Vec<Attempt>) -> Option<AnswererReply> {
        None
    }
}

/// Answerers that are asked one after the other: the first that answers wins.
impl Answerer for Vec<Box<dyn Answerer>> {
    fn answer(
        &mut self,
        request: &Request<'_>,
        failed: &mut Vec<Attempt>,
    ) -> Option<AnswererReply> {
        self.iter_mut()
            .find_map(|answerer| answerer.answer(request, failed))
    }

    fn rewind(&mut self, key: &DialogueKey<'_>) {
        for answerer in self {
            answerer.rewind(key);
        }
    }

    fn memory(&self) -> Json {
        self.iter().map(|answerer| answerer.memory()).collect()
    }

    fn recall(&mut self, memory: &Json) {
        for (answerer, memory) in self.iter_mut().zip(memory.as_array().into_iter().flatten()) {
            answerer.recall(memory);
        }
    }

    fn finish(&mut self, found: &mut Diagnostics) {
        for answerer in self {
            answerer.finish(found);
        }
    }
}
