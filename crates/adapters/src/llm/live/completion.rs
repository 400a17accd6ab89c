//! What a model said, taken out of what its server sent.

use serde_json::Value as Json;

use crate::llm::answer_failure::{AnswerFailure, FailureKind};
use crate::llm::tokens::Tokens;

/// What a model said.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Completion {
    /// Its words.
    content: String,
    /// The arguments of the tool that it called.
    arguments: String,
    /// Why it does not want to answer, in its own words.
    refusal: String,
    /// It thought where the answer should not be looked for.
    pub(super) thought: bool,
    /// What it cost.
    pub(super) tokens: Tokens,
    /// Why the model stopped, in the words of its server.
    pub(super) finish_reason: Option<String>,
}

/// Reasons to stop that say that somebody does not want an answer: of the model itself, and of filters.
const DECLINED: [&str; 5] = [
    "refusal",
    "content_filter",
    "content-filter",
    "blacklist",
    "safety",
];

impl Completion {
    /// What the model said: to a tool if it called one, else in words. A call that says nothing is none where there are words.
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

    /// Whether the model stopped because it was not to say more, or could not.
    pub(super) fn is_cut_off(&self) -> bool {
        matches!(self.finish_reason.as_deref(), Some("length" | "max_tokens")) || self.is_too_long()
    }

    /// Whether the model stopped because no more fits into what it can see.
    pub(super) fn is_too_long(&self) -> bool {
        self.finish_reason.as_deref() == Some("model_context_window_exceeded")
    }

    /// The failure of a model that does not want to answer, with its words or those of its server.
    pub(super) fn declined(&self) -> Option<AnswerFailure> {
        if !self.refusal.trim().is_empty() {
            return Some(FailureKind::Declined.because(format!(
                "the model declined to answer: {}",
                self.refusal.trim()
            )));
        }
        let reason = self.finish_reason.as_deref()?;
        let declined = DECLINED
            .iter()
            .any(|word| reason.eq_ignore_ascii_case(word));
        declined.then(|| match self.content.trim() {
            "" => FailureKind::Declined.because(format!("the answer was declined: `{reason}`")),
            words => FailureKind::Declined
                .because(format!("the answer was declined: `{reason}`: {words}")),
        })
    }

    /// More words: a text, or the parts of one. What is neither says nothing.
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

    /// A part of what was said.
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

    /// Why the model does not want to answer.
    pub(super) fn add_refusal(&mut self, refusal: Option<&Json>) {
        self.refusal
            .push_str(refusal.and_then(Json::as_str).unwrap_or_default());
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
    pub(super) fn finish(mut self, reason: Option<&Json>, tokens: Tokens) -> Self {
        self.finish_reason = reason.and_then(Json::as_str).map(str::to_owned);
        self.tokens = tokens;
        self
    }
}

/// The failure of a server that answers in another shape than it should.
pub(super) fn malformed(what: &str) -> AnswerFailure {
    FailureKind::WrongSchema.because(format!("the answer of the server has no {what}"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn parts_are_known_for_what_they_are() {
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
            "the model declined to answer: I will not."
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
            "the answer was declined: `content_filter`"
        );
        assert!(stopped("refusal").is_some() && stopped("stop").is_none());
    }
}
