//! The port through which answers come.

use std::sync::Arc;

use serde_json::Value as Json;

use super::answer_failure::{AnswerFailure, FailureKind};
use super::dialogue_key::DialogueKey;
use super::task::Task;
use super::tokens::Tokens;
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

impl Attempt {
    pub(super) fn new(
        by: impl Into<Arc<str>>,
        kind: FailureKind,
        reason: impl Into<String>,
    ) -> Self {
        Self {
            by: by.into(),
            failure: kind.because(reason),
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
