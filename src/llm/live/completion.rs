//! What a model said, taken out of what its server sent.

use serde_json::Value as Json;

use crate::llm::answerer::{AnswerFailure, FailureKind, Tokens};

/// What a model said.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Completion {
    /// Its words.
    words: String,
    /// The arguments of the tool that it called.
    arguments: String,
    /// What it cost.
    pub(super) tokens: Tokens,
    /// Why the model stopped, in the words of its server.
    pub(super) stop: Option<String>,
}

impl Completion {
    /// What the model said: to a tool if it called one, else in words.
    pub(super) fn text(&self) -> &str {
        if self.arguments.is_empty() { &self.words } else { &self.arguments }
    }

    /// Whether the model stopped because it was not to say more.
    pub(super) fn is_cut(&self) -> bool {
        matches!(self.stop.as_deref(), Some("length" | "max_tokens"))
    }

    /// More words; what is no text says nothing.
    pub(super) fn say(&mut self, words: Option<&Json>) {
        self.words.push_str(words.and_then(Json::as_str).unwrap_or_default());
    }

    /// More arguments of a tool: some servers send them as text, some as they are.
    pub(super) fn argue(&mut self, arguments: Option<&Json>) {
        match arguments {
            Some(Json::String(text)) => self.arguments.push_str(text),
            Some(arguments @ Json::Object(_)) => self.arguments.push_str(&arguments.to_string()),
            _ => {}
        }
    }

    /// Why the model stopped, where the server says so now.
    pub(super) fn stop(&mut self, why: Option<&Json>) {
        if let Some(why) = why.and_then(Json::as_str) {
            self.stop = Some(why.chars().take(STOP).collect());
        }
    }

    /// The counts of tokens, where the server tells them now.
    pub(super) fn count(&mut self, asked: Option<u64>, answered: Option<u64>) {
        self.tokens.asked = asked.unwrap_or(self.tokens.asked);
        self.tokens.answered = answered.unwrap_or(self.tokens.answered);
    }
}

/// Characters of a reason to stop that are kept.
const STOP: usize = 64;

/// The failure of a server that answers in another shape than it should.
pub(super) fn misshapen(what: &str) -> AnswerFailure {
    AnswerFailure {
        kind: FailureKind::WrongSchema,
        reason: format!("the answer of the server has no {what}"),
    }
}

/// The failure of a stream that tells of one.
pub(super) fn broken() -> AnswerFailure {
    AnswerFailure {
        kind: FailureKind::ServerError,
        reason: "the server failed in the middle of its answer".to_owned(),
    }
}
