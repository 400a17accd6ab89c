//! All that was said in a turn.

use super::sentences::sentences;
use crate::engine::RecordView;
use crate::machine::Value;
use crate::trace::RecordField;

/// All that was said in a turn: by whoever plays the assistant, then by the machine.
#[derive(Clone, Debug)]
pub(in crate::scenario) struct Said {
    /// The messages, as the record has them.
    pub(super) messages: Value,
    /// The same as one text, a message behind the other.
    pub(super) whole: Value,
    /// How many there are.
    pub(super) count: usize,
}

impl Said {
    /// What was said in the turn of this record.
    pub(in crate::scenario) fn of(line: &RecordView<'_>) -> Self {
        let texts: Vec<&str> = line.replies().collect();
        let whole = Value::text(&texts.join("\n"));
        Self { messages: RecordField::Replies.value(line), whole, count: texts.len() }
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
