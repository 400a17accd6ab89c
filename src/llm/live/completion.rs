//! What a model said, taken out of what its server sent.

use serde_json::Value as Json;

use crate::llm::answerer::{AnswerFailure, FailureKind, Tokens};

/// What a model said.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Completion {
    /// Its words.
    content: String,
    /// The arguments of the tool that it called.
    arguments: String,
    /// What it cost.
    pub(super) tokens: Tokens,
    /// Why the model stopped, in the words of its server.
    pub(super) finish_reason: Option<String>,
}

impl Completion {
    /// What the model said: to a tool if it called one, else in words.
    pub(super) fn text(&self) -> &str {
        if self.arguments.is_empty() { &self.content } else { &self.arguments }
    }

    /// Whether the model stopped because it was not to say more.
    pub(super) fn is_cut_off(&self) -> bool {
        matches!(self.finish_reason.as_deref(), Some("length" | "max_tokens"))
    }

    /// More words; what is no text says nothing.
    pub(super) fn add_content(&mut self, content: Option<&Json>) {
        self.content.push_str(content.and_then(Json::as_str).unwrap_or_default());
    }

    /// More arguments of a tool: some servers send them as text, some as they are.
    pub(super) fn add_arguments(&mut self, arguments: Option<&Json>) {
        match arguments {
            Some(Json::String(text)) => self.arguments.push_str(text),
            Some(arguments @ Json::Object(_)) => self.arguments.push_str(&arguments.to_string()),
            _ => {}
        }
    }

    /// Why the model stopped and what it cost, as far as the server says so.
    pub(super) fn finish(mut self, reason: Option<&Json>, prompt: Option<u64>, answer: Option<u64>) -> Self {
        self.finish_reason = reason.and_then(Json::as_str).map(str::to_owned);
        self.tokens = Tokens { asked: prompt.unwrap_or(0), answered: answer.unwrap_or(0), cached: 0 };
        self
    }
}

/// The failure of a server that answers in another shape than it should.
pub(super) fn malformed(what: &str) -> AnswerFailure {
    FailureKind::WrongSchema.because(format!("the answer of the server has no {what}"))
}
