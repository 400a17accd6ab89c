//! Dialogues of a stream of which more may come.

use std::collections::BTreeMap;

use super::observed_text::ObservedText;
use crate::limits::MAX_HELD_BYTES;

/// Dialogues of a stream of which more may come: where their lines stand together, one; where they are mixed, all that are
/// not over, up to a budget.
#[derive(Debug, Default)]
pub(super) struct HeldDialogues {
    /// By the lines where they begin.
    dialogues: BTreeMap<usize, ObservedText>,
    /// Where each begins.
    begins: BTreeMap<String, usize>,
    lines: usize,
    bytes: usize,
    /// Lines that may be held, where dialogues are mixed.
    budget: Option<usize>,
}

impl HeldDialogues {
    /// None yet. Dialogues are mixed where there is a budget of lines for it.
    pub(super) fn new(budget: Option<usize>) -> Self {
        Self {
            budget,
            ..Self::default()
        }
    }

    /// Whether dialogues may be mixed.
    pub(super) fn are_mixed(&self) -> bool {
        self.budget.is_some()
    }

    /// How many dialogues are held, and with how many lines.
    pub(super) fn counts(&self) -> (usize, usize) {
        (self.dialogues.len(), self.lines)
    }

    /// Whether another line of so many bytes has room.
    pub(super) fn has_room(&self, bytes: usize) -> bool {
        self.budget
            .is_none_or(|budget| self.lines < budget && self.bytes + bytes <= MAX_HELD_BYTES)
    }

    /// A dialogue that is held.
    pub(super) fn get(&self, name: &str) -> Option<&ObservedText> {
        self.dialogues.get(self.begins.get(name)?)
    }

    /// Adds a line to a dialogue, which perhaps begins with it; lines that cannot be read may stand in between.
    pub(super) fn push(&mut self, name: &str, text: &str, line: usize, is_behind_gap: bool) {
        self.lines += 1;
        self.bytes += text.len();
        let first = *self.begins.entry(name.to_owned()).or_insert(line);
        let dialogue = self
            .dialogues
            .entry(first)
            .or_insert_with(|| ObservedText::new(name.to_owned(), first));
        dialogue.push(text, line, is_behind_gap);
    }

    /// Lets a dialogue go.
    pub(super) fn take(&mut self, name: &str) -> Option<ObservedText> {
        let dialogue = self.dialogues.remove(self.begins.get(name)?)?;
        self.begins.remove(name);
        self.lines -= dialogue.line_count();
        self.bytes -= dialogue.bytes();
        Some(dialogue)
    }

    /// Lets the dialogue go that began first.
    pub(super) fn take_first(&mut self) -> Option<ObservedText> {
        let name = self.dialogues.first_key_value()?.1.name().to_owned();
        self.take(&name)
    }

    /// Lets all of them go unread.
    pub(super) fn clear(&mut self) {
        *self = Self::new(self.budget);
    }
}
