//! The replies of a turn.

use super::sentences::sentences;
use fsmsim_core::machine::Value;
use fsmsim_core::trace::{RecordField, ToldFields};

/// The replies of a turn: first those of the assistant, then those of the engine.
#[derive(Clone, Debug)]
pub(crate) struct TurnReplies {
    /// The messages, as in the record.
    pub messages: Value,
    /// All messages as one string, joined by line breaks.
    pub whole: Value,
    pub count: usize,
}

impl TurnReplies {
    /// The replies in this record.
    pub(crate) fn of(line: &impl ToldFields) -> Self {
        let messages = line.value(RecordField::Replies);
        let texts: Vec<&str> = match &messages {
            Value::List(texts) => texts.iter().filter_map(Value::as_text).collect(),
            _ => Vec::new(),
        };
        let (whole, count) = (Value::text(&texts.join("\n")), texts.len());
        Self {
            messages,
            whole,
            count,
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
