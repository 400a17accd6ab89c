//! The interface of providers.

use std::sync::Arc;

use serde_json::Value as Json;

use super::answer_failure::{AnswerFailure, FailureKind};
use super::dialogue_key::DialogueKey;
use super::task::Task;
use super::tokens::Tokens;
use fsmsim_core::machine::Value;
use fsmsim_syntax::diagnostic::Diagnostics;

/// A provider that can answer requests of a turn.
pub trait Answerer: Send {
    /// Answers a request. Adds failed attempts to `failed`, with the name of the provider.
    fn answer(&mut self, request: &Request<'_>, failed: &mut Vec<Attempt>)
    -> Option<AnswererReply>;

    /// Whether a provider is available.
    fn is_there(&self) -> bool {
        true
    }

    /// Restarts the dialogue.
    fn rewind(&mut self, _key: &DialogueKey<'_>) {}

    /// The state of the provider in the dialogue. Null if the provider is stateless.
    fn memory(&self) -> Json {
        Json::Null
    }

    /// Restores the state of the provider. Ignores invalid state.
    fn recall(&mut self, _memory: &Json) {}

    /// Marks the dialogue as ended early, so that unused recordings are not an error.
    fn break_off(&mut self) {}

    /// Ends the dialogue: writes recordings and reports findings. After an error, the dialogue is invalid.
    fn finish(&mut self, _found: &mut Diagnostics) {}
}

/// A request of a turn.
#[derive(Clone, Debug)]
pub struct Request<'a> {
    pub task: Task<'a>,
    /// The turn number, from 1.
    pub turn: u32,
}

/// An answer.
#[derive(Clone, Debug, PartialEq)]
pub struct AnswererReply {
    /// The name of the provider.
    pub by: Arc<str>,
    /// The answer itself.
    pub value: Value,
    /// Whether a model generated the answer just now, so that it might differ next time.
    pub fresh: bool,
    /// The tokens used.
    pub tokens: Tokens,
    /// The reason why the model stopped, as reported by its server.
    pub stop: Option<Box<str>>,
}

impl AnswererReply {
    /// An answer that is deterministic and free of charge.
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

/// A failed attempt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attempt {
    /// The name of the provider.
    pub by: Arc<str>,
    /// The reason for the failure.
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

/// A provider that never answers.
#[derive(Clone, Copy, Debug)]
pub struct NoAnswerer;

impl Answerer for NoAnswerer {
    fn is_there(&self) -> bool {
        false
    }

    fn answer(&mut self, _: &Request<'_>, _: &mut Vec<Attempt>) -> Option<AnswererReply> {
        None
    }
}

/// Providers that are called in order: the first answer is used.
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
