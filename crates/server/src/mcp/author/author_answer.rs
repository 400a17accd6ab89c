//! What a tool answers.

use rmcp::model::CallToolResult;

use crate::mcp::typed_tool::call_result;
use serde::Serialize;
use serde_json::Value as Json;

use super::author_refusal::AuthorRefusal;
use fsmsim_syntax::terminal::acts_on_text;

/// What a tool answers: a text for the model, and the same in parts for programs, where there are such.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct AuthorAnswer {
    text: String,
    parts: Option<Json>,
    /// The tool did not do all that it was called for.
    is_short: bool,
    /// What is said where the text is too long.
    whole: &'static str,
}

/// An answer, or why there is none.
pub(super) type Answered = Result<AuthorAnswer, AuthorRefusal>;

/// Bytes of a text at most: what is longer fills the head of whoever reads it.
const LONGEST: usize = 60_000;
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
            text: text.into(),
            parts: serde_json::to_value(parts).ok(),
            is_short: false,
            whole: LESS,
        }
    }

    /// The same, where not all was done.
    pub(super) fn short(mut self) -> Self {
        self.is_short = true;
        self
    }

    /// The same, where what is too long of the text stands whole elsewhere.
    pub(super) fn whole_in(mut self, place: &'static str) -> Self {
        self.whole = place;
        self
    }

    /// As the protocol has it.
    pub(super) fn result(self) -> CallToolResult {
        call_result(cut(&self.text, self.whole), self.parts, self.is_short)
    }
}

impl AuthorRefusal {
    /// As the protocol has it.
    pub(super) fn result(self) -> CallToolResult {
        call_result(cut(&self.text, LESS), None, true)
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
    if text.len() <= LONGEST {
        return text;
    }
    let head = text
        .get(..text.floor_char_boundary(LONGEST))
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
            long.len() < LONGEST + 100
                && long.ends_with("more bytes are left out: it is elsewhere")
        );
    }
}
