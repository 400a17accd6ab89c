//! What a tool answers.

use rmcp::model::{CallToolResult, ContentBlock};
use serde::Serialize;
use serde_json::Value as Json;

use super::author_refusal::AuthorRefusal;
use crate::terminal::is_printable;

/// What a tool answers: a text for the model, and the same in parts for programs, where there are such.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct AuthorAnswer {
    text: String,
    parts: Option<Json>,
    /// The tool did not do all that it was called for.
    is_short: bool,
}

/// An answer, or why there is none.
pub(super) type Answered = Result<AuthorAnswer, AuthorRefusal>;

/// Bytes of a text at most: what is longer fills the head of whoever reads it.
const LONGEST: usize = 60_000;

impl AuthorAnswer {
    /// A text alone.
    pub(super) fn text(text: impl Into<String>) -> Self {
        Self { text: text.into(), parts: None, is_short: false }
    }

    /// A text, and the same in parts.
    pub(super) fn new(text: impl Into<String>, parts: &impl Serialize) -> Self {
        Self { text: text.into(), parts: serde_json::to_value(parts).ok(), is_short: false }
    }

    /// The same, where not all was done.
    pub(super) fn short(mut self) -> Self {
        self.is_short = true;
        self
    }

    /// As the protocol has it.
    pub(super) fn result(self) -> CallToolResult {
        let content = vec![ContentBlock::text(cut(&self.text))];
        let mut result = if self.is_short { CallToolResult::error(content) } else { CallToolResult::success(content) };
        result.structured_content = self.parts;
        result
    }
}

impl AuthorRefusal {
    /// As the protocol has it.
    pub(super) fn result(self) -> CallToolResult {
        CallToolResult::error(vec![ContentBlock::text(cut(&self.text))])
    }
}

/// A text that can be read: what could move a cursor is shown, and what is too long is cut at the end of a line.
fn cut(text: &str) -> String {
    let seen = |letter| if matches!(letter, '\n' | '\t') || is_printable(letter) { letter } else { '\u{fffd}' };
    let text: String = text.chars().map(seen).collect();
    if text.len() <= LONGEST {
        return text;
    }
    let head = text.get(..text.floor_char_boundary(LONGEST)).unwrap_or_default();
    let head = head.rsplit_once('\n').map_or(head, |(head, _)| head);
    format!("{head}\n… {} more bytes are left out: ask for less", text.len() - head.len())
}
