//! The dialogues in a stream that are still incomplete.

use std::collections::BTreeMap;

use super::observed_text::ObservedText;
use crate::limits::MAX_HELD_BYTES;

/// The dialogues in a stream that are still incomplete. If the lines of each dialogue are contiguous, there is one. If
/// dialogues are interleaved, there can be several, up to a budget.
#[derive(Debug, Default)]
pub(super) struct OpenDialogues {
    /// The dialogues, by their first lines.
    dialogues: BTreeMap<usize, ObservedText>,
    /// The first line of each dialogue.
    first_lines: BTreeMap<String, usize>,
    lines: usize,
    bytes: usize,
    /// The maximum number of lines held, if dialogues may be interleaved.
    budget: Option<usize>,
}

impl OpenDialogues {
    /// Creates an empty set. With a line budget, dialogues may be interleaved.
    pub(super) fn new(budget: Option<usize>) -> Self {
        Self {
            budget,
            ..Self::default()
        }
    }

    /// Whether dialogues may be interleaved.
    pub(super) fn are_mixed(&self) -> bool {
        self.budget.is_some()
    }

    /// The number of dialogues and the number of lines that are held.
    pub(super) fn counts(&self) -> (usize, usize) {
        (self.dialogues.len(), self.lines)
    }

    /// Whether a line of this size fits into the budget.
    pub(super) fn fits(&self, bytes: usize) -> bool {
        self.budget
            .is_none_or(|budget| self.lines < budget && self.bytes + bytes <= MAX_HELD_BYTES)
    }

    pub(super) fn get(&self, name: &str) -> Option<&ObservedText> {
        self.dialogues.get(self.first_lines.get(name)?)
    }

    /// Adds a line to a dialogue, or starts a dialogue with it. `is_after_gap` states whether lines before it could not
    /// be read.
    pub(super) fn push(&mut self, name: &str, text: &str, line: usize, is_after_gap: bool) {
        self.lines += 1;
        self.bytes += text.len();
        let first = *self.first_lines.entry(name.to_owned()).or_insert(line);
        let dialogue = self
            .dialogues
            .entry(first)
            .or_insert_with(|| ObservedText::new(name.to_owned(), first));
        dialogue.push(text, line, is_after_gap);
    }

    /// Removes and returns a dialogue.
    pub(super) fn take(&mut self, name: &str) -> Option<ObservedText> {
        let dialogue = self.dialogues.remove(self.first_lines.get(name)?)?;
        self.first_lines.remove(name);
        self.lines -= dialogue.line_count();
        self.bytes -= dialogue.bytes();
        Some(dialogue)
    }

    /// Removes and returns the dialogue that started earliest.
    pub(super) fn take_first(&mut self) -> Option<ObservedText> {
        let name = self.dialogues.first_key_value()?.1.name().to_owned();
        self.take(&name)
    }

    /// Removes all dialogues.
    pub(super) fn clear(&mut self) {
        *self = Self::new(self.budget);
    }
}
