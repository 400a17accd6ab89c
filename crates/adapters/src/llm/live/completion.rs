//! The output of a model, extracted from the answer of its server.

use serde_json::Value as Json;

use crate::llm::answer_failure::{AnswerFailure, FailureKind};
use crate::llm::tokens::Tokens;

/// The output of a model.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Completion {
    /// The text.
    content: String,
    /// The arguments of a tool call.
    arguments: String,
    /// The text of the model's refusal.
    refusal: String,
    /// The output contains reasoning outside of the text.
    pub thought: bool,
    /// The tokens used.
    pub tokens: Tokens,
    /// The reason why the model stopped, as reported by its server.
    pub finish_reason: Option<String>,
}

/// Stop reasons for a refusal by the model, or a block by a filter.
const DECLINED: [&str; 5] = [
    "refusal",
    "content_filter",
    "content-filter",
    "blacklist",
    "safety",
];

impl Completion {
    /// The answer: the arguments of a tool call, otherwise the text. An empty call is ignored if there is text.
    pub(super) fn text(&self) -> &str {
        let calls = match self.arguments.trim() {
            "" => false,
            "{}" => self.content.trim().is_empty(),
            _ => true,
        };
        if calls {
            &self.arguments
        } else {
            &self.content
        }
    }

    /// Whether the output is truncated because of a length limit.
    pub(super) fn is_cut_off(&self) -> bool {
        matches!(self.finish_reason.as_deref(), Some("length" | "max_tokens")) || self.is_too_long()
    }

    /// Whether the context window of the model is full.
    pub(super) fn is_too_long(&self) -> bool {
        self.finish_reason.as_deref() == Some("model_context_window_exceeded")
    }

    /// The failure for a refusal, with the message from the model or its server.
    pub(super) fn declined(&self) -> Option<AnswerFailure> {
        if !self.refusal.trim().is_empty() {
            return Some(FailureKind::Declined.because(format!(
                "the model refused to answer: {}",
                self.refusal.trim()
            )));
        }
        let reason = self.finish_reason.as_deref()?;
        DECLINED
            .iter()
            .any(|word| reason.eq_ignore_ascii_case(word))
            .then(|| match self.content.trim() {
                "" => FailureKind::Declined.because(format!("the answer was refused: `{reason}`")),
                words => FailureKind::Declined
                    .because(format!("the answer was refused: `{reason}`: {words}")),
            })
    }

    /// Adds text: a string, or a list of parts. Ignores other values.
    pub(super) fn add_content(&mut self, content: Option<&Json>) {
        match content {
            Some(Json::String(text)) => self.content.push_str(text),
            Some(Json::Array(parts)) => {
                for part in parts {
                    self.add_part(part);
                }
            }
            _ => {}
        }
    }

    /// Adds a part of the output.
    pub(super) fn add_part(&mut self, part: &Json) {
        match part.get("type").and_then(Json::as_str) {
            Some("text" | "output_text") => {
                self.add_content(part.get("text").filter(|text| text.is_string()));
            }
            Some("refusal") => self.add_refusal(part.get("refusal")),
            Some("thinking" | "redacted_thinking" | "reasoning") => self.thought = true,
            Some("tool_use") => self.add_arguments(part.get("input")),
            _ => {}
        }
    }

    /// Adds the text of a refusal.
    pub(super) fn add_refusal(&mut self, refusal: Option<&Json>) {
        self.refusal
            .push_str(refusal.and_then(Json::as_str).unwrap_or_default());
    }

    /// Adds arguments of a tool call. Some servers send them as a string, others as an object.
    pub(super) fn add_arguments(&mut self, arguments: Option<&Json>) {
        match arguments {
            Some(Json::String(text)) => self.arguments.push_str(text),
            Some(arguments @ Json::Object(_)) => self.arguments.push_str(&arguments.to_string()),
            _ => {}
        }
    }

    /// Sets the stop reason and the tokens used.
    pub(super) fn finish(mut self, reason: Option<&Json>, tokens: Tokens) -> Self {
        self.finish_reason = reason.and_then(Json::as_str).map(str::to_owned);
        self.tokens = tokens;
        self
    }
}

/// The failure for a server answer in an unknown format.
pub(super) fn malformed(what: &str) -> AnswerFailure {
    FailureKind::WrongSchema.because(format!("the response of the server has no {what}"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn parts_are_distinguished_by_their_type() {
        let mut said = Completion::default();
        said.add_content(Some(&json!([
            {"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]},
            {"type": "text", "text": "a"}, {"type": "output_text", "text": "b"}, {"type": "image"}, "c", 7,
        ])));
        assert_eq!(
            (said.text(), said.thought, said.declined()),
            ("ab", true, None)
        );
        said.add_content(Some(
            &json!([{"type": "refusal", "refusal": "I will not."}]),
        ));
        assert_eq!(
            said.declined().unwrap().reason,
            "the model refused to answer: I will not."
        );
        said.add_arguments(Some(&json!({})));
        assert_eq!(said.text(), "ab");
        said.add_arguments(Some(&json!(" ")));
        assert_eq!(said.text(), "ab");
        let stopped = |why: &str| {
            Completion::default()
                .finish(Some(&json!(why)), Tokens::default())
                .declined()
        };
        assert_eq!(
            stopped("content_filter").unwrap().reason,
            "the answer was refused: `content_filter`"
        );
        assert!(stopped("refusal").is_some() && stopped("stop").is_none());
    }
}
