//! Results and errors of the authoring tools.

use rmcp::model::CallToolResult;

use super::client_words::{in_client_words, with_addresses};
use crate::limits::MAX_ANSWER_TEXT;
use crate::mcp::typed_tool::call_result;
use fsmsim_harness::interactive::InteractiveError;
use fsmsim_syntax::diagnostic::{Diagnostic, Diagnostics, SourceMap, render};
use fsmsim_syntax::terminal::acts_on_text;
use serde::Serialize;
use serde_json::Value as Json;

/// The result of a tool: text for the LLM, and optionally the same content in structured form.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct AuthorAnswer {
    pub text: String,
    pub parts: Option<Json>,
    /// Whether the tool did only part of its task.
    pub is_short: bool,
    /// The hint to show if the text is too long.
    pub whole: &'static str,
}

/// The error of a tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct AuthorRefusal {
    /// The text, with locations and help, as in a terminal.
    pub text: String,
}

pub(super) type Answered = Result<AuthorAnswer, AuthorRefusal>;

/// The default hint for a text that is too long.
const LESS: &str = "narrow the request";

impl AuthorAnswer {
    pub(super) fn text(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            parts: None,
            is_short: false,
            whole: LESS,
        }
    }

    /// A text with structured content.
    pub(super) fn new(text: impl Into<String>, parts: &impl Serialize) -> Self {
        Self {
            parts: serde_json::to_value(parts).ok(),
            ..Self::text(text)
        }
    }

    /// Converts the answer to a result of the protocol.
    pub(super) fn result(self) -> CallToolResult {
        call_result(cut(&self.text, self.whole), self.parts, self.is_short)
    }
}

impl From<AuthorRefusal> for AuthorAnswer {
    fn from(why: AuthorRefusal) -> Self {
        Self {
            is_short: true,
            ..Self::text(why.text)
        }
    }
}

impl AuthorRefusal {
    /// The rendered findings about files.
    pub(super) fn of(found: &Diagnostics, sources: &SourceMap) -> Self {
        Self {
            text: with_addresses(render(found, sources, false).trim_end()),
        }
    }
}

impl From<String> for AuthorRefusal {
    fn from(text: String) -> Self {
        Self {
            text: text.trim_end().to_owned(),
        }
    }
}

impl From<&str> for AuthorRefusal {
    fn from(text: &str) -> Self {
        Self::from(text.to_owned())
    }
}

impl From<Diagnostic> for AuthorRefusal {
    fn from(finding: Diagnostic) -> Self {
        Self::of(&Diagnostics::of(finding), &SourceMap::default())
    }
}

impl From<Box<Diagnostic>> for AuthorRefusal {
    fn from(finding: Box<Diagnostic>) -> Self {
        Self::from(*finding)
    }
}

impl From<InteractiveError> for AuthorRefusal {
    fn from(why: InteractiveError) -> Self {
        match why {
            InteractiveError::Refused(why) => Self::from(in_client_words(&why)),
            InteractiveError::Lost(finding) => Self::from(finding),
        }
    }
}

/// Replaces control characters and keeps all other text exactly. Shortens a long text at a line end.
fn cut(text: &str, whole: &str) -> String {
    let is_printed = |character| matches!(character, '\n' | '\t') || !acts_on_text(character);
    let text: String = text
        .chars()
        .map(|character| {
            if is_printed(character) {
                character
            } else {
                '\u{fffd}'
            }
        })
        .collect();
    if text.len() <= MAX_ANSWER_TEXT {
        return text;
    }
    let head = text
        .get(..text.floor_char_boundary(MAX_ANSWER_TEXT))
        .unwrap_or_default();
    let head = head.rsplit_once('\n').map_or(head, |(head, _)| head);
    format!(
        "{head}\n… {} more bytes are omitted: {whole}",
        text.len() - head.len()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn printable_characters_are_unchanged() {
        let text = "👨\u{200d}👩 می\u{200c}خواهم \u{200f}x\u{ad}y\u{a0}z\u{feff}\t\n";
        assert_eq!(cut(text, LESS), text);
        assert_eq!(
            cut("a\u{1b}[2Jb\u{202e}c\u{9b}d\r", LESS),
            "a\u{fffd}[2Jb\u{fffd}c\u{fffd}d\u{fffd}"
        );
        let long = cut(&"a line\n".repeat(10_000), "it is elsewhere");
        assert!(
            long.len() < MAX_ANSWER_TEXT + 100
                && long.ends_with("more bytes are omitted: it is elsewhere")
        );
    }
}
