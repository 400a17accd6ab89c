//! All that was said in a turn.

use super::sentences::sentences;
use fsmsim_core::machine::Value;
use fsmsim_core::trace::{RecordField, ToldFields};

/// All that was said in a turn: by whoever plays the assistant, then by the machine.
#[derive(Clone, Debug)]
pub(crate) struct TurnReplies {
    /// The messages, as the record has them.
    pub messages: Value,
    /// The same as one text, a message behind the other.
    pub whole: Value,
    /// How many there are.
    pub count: usize,
}

impl TurnReplies {
    /// What was said in the turn of this record.
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

    /// It as one text.
    pub(super) fn text(&self) -> &str {
        self.whole.as_text().unwrap_or_default()
    }

    /// How many sentences it has.
    pub(super) fn sentences(&self) -> usize {
        sentences(self.text())
    }

    /// How many characters it has.
    pub(super) fn characters(&self) -> usize {
        self.text().chars().count()
    }
}
