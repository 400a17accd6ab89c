//! The replies in a turn.

use super::sentences::sentences;
use fsmsim_core::machine::Value;
use fsmsim_core::trace::{RecordField, RecordedFields};

/// The replies in a turn: first those of the assistant, then those of the engine.
#[derive(Clone, Debug)]
pub(crate) struct TurnReplies {
    /// The messages, as they are in the record.
    pub messages: Value,
    /// All messages as one string, joined by line breaks.
    pub whole: Value,
    pub count: usize,
}

impl TurnReplies {
    /// The replies that a record contains.
    pub(crate) fn of(line: &impl RecordedFields) -> Self {
        let messages = line.value(RecordField::Replies);
        let texts: Vec<&str> = messages.texts().collect();
        Self {
            whole: Value::text(&texts.join("\n")),
            count: texts.len(),
            messages,
        }
    }

    pub(super) fn text(&self) -> &str {
        self.whole.as_text().unwrap_or_default()
    }

    pub(super) fn sentences(&self) -> usize {
        sentences(self.text())
    }

    pub(super) fn characters(&self) -> usize {
        self.text().chars().count()
    }
}
