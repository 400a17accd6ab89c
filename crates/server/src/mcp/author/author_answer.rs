//! What a tool answers, or why it does not.

use rmcp::model::CallToolResult;

use super::client_words::{in_client_words, with_addresses};
use crate::limits::MAX_ANSWER_TEXT;
use crate::mcp::typed_tool::call_result;
use fsmsim_harness::rehearsal::RehearsalError;
use fsmsim_syntax::diagnostic::{Diagnostic, Diagnostics, SourceMap, render};
use fsmsim_syntax::terminal::acts_on_text;
use serde::Serialize;
use serde_json::Value as Json;

/// What a tool answers: a text for the model, and the same in parts for programs, where there are such.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct AuthorAnswer {
    pub(super) text: String,
    pub(super) parts: Option<Json>,
    /// The tool did not do all that it was called for.
    pub(super) is_short: bool,
    /// What is said where the text is too long.
    pub(super) whole: &'static str,
}

/// Why a tool does not do what it is called for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct AuthorRefusal {
    /// With places and remedies, as a terminal shows it.
    pub(super) text: String,
}

/// An answer, or why there is none.
pub(super) type Answered = Result<AuthorAnswer, AuthorRefusal>;

/// What is said where a text is too long.
const LESS: &str = "ask for less";

impl AuthorAnswer {
    /// A text alone.
    pub(super) fn text(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            parts: None,
            is_short: false,
            whole: LESS,
        }
    }

    /// A text, and the same in parts.
    pub(super) fn new(text: impl Into<String>, parts: &impl Serialize) -> Self {
        Self {
            parts: serde_json::to_value(parts).ok(),
            ..Self::text(text)
        }
    }

    /// As the protocol has it.
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
    /// What was found about files.
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

impl From<RehearsalError> for AuthorRefusal {
    fn from(why: RehearsalError) -> Self {
        match why {
            RehearsalError::Refused(why) => Self::from(in_client_words(&why)),
            RehearsalError::Lost(finding) => Self::from(finding),
        }
    }
}

/// A text that can be read, and can be written to a file as it is: only what no word is written with is replaced, and what is
/// too long is cut at the end of a line.
fn cut(text: &str, whole: &str) -> String {
    let is_told = |letter| matches!(letter, '\n' | '\t') || !acts_on_text(letter);
    let text: String = text
        .chars()
        .map(|letter| if is_told(letter) { letter } else { '\u{fffd}' })
        .collect();
    if text.len() <= MAX_ANSWER_TEXT {
        return text;
    }
    let head = text
        .get(..text.floor_char_boundary(MAX_ANSWER_TEXT))
        .unwrap_or_default();
    let head = head.rsplit_once('\n').map_or(head, |(head, _)| head);
    format!(
        "{head}\n… {} more bytes are left out: {whole}",
        text.len() - head.len()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_told_as_they_are_written() {
        let text = "👨\u{200d}👩 می\u{200c}خواهم \u{200f}x\u{ad}y\u{a0}z\u{feff}\t\n";
        assert_eq!(cut(text, LESS), text);
        assert_eq!(
            cut("a\u{1b}[2Jb\u{202e}c\u{9b}d\r", LESS),
            "a\u{fffd}[2Jb\u{fffd}c\u{fffd}d\u{fffd}"
        );
        let long = cut(&"a line\n".repeat(10_000), "it is elsewhere");
        assert!(
            long.len() < MAX_ANSWER_TEXT + 100
                && long.ends_with("more bytes are left out: it is elsewhere")
        );
    }
}
