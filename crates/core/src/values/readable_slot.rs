//! A slot with the data for reading its values.

use std::collections::BTreeSet;

use super::found_value::FoundValue;
use super::listed_value::ListedValue;
use super::numbers::PEOPLE;
use super::said_text::{SaidText, folded, stemmed};
use super::value_words::{has, index_of};
use crate::machine::{SlotDeclaration, SlotFormat, SlotKind};

/// Characters of the shortest stem that refers to a slot.
const MIN_CUE: usize = 4;
/// Words before and after a value that can refer to its slot.
const WORDS_BEFORE: usize = 3;
const WORDS_AFTER: usize = 2;

/// A slot with the data for reading its values.
#[derive(Clone, Debug)]
pub struct ReadableSlot {
    pub declared: SlotDeclaration,
    /// The formats of the values, any of which is accepted. Empty for values without a format.
    pub formats: Vec<SlotFormat>,
    pub(super) values: Vec<ListedValue>,
    /// The unit of its numbers, according to its name or description.
    pub(super) unit: Option<u32>,
    /// The stems of its name and description.
    cues: BTreeSet<String>,
}

impl ReadableSlot {
    pub fn of(name: &str, declared: SlotDeclaration) -> Self {
        let words = stemmed(&folded(&format!("{name} {}", declared.description)));
        let unit = words.iter().find_map(|word| index_of("unit", &word.lower));
        let mut cues: BTreeSet<String> = words.into_iter().map(|word| word.stem).collect();
        cues.retain(|stem| stem.chars().count() >= MIN_CUE);
        Self {
            formats: declared.format.into_iter().collect(),
            values: declared.values.iter().map(ListedValue::new).collect(),
            declared,
            unit,
            cues,
        }
    }

    pub fn is_number(&self) -> bool {
        let kind = self.declared.kind;
        matches!(kind, Some(SlotKind::Integer | SlotKind::Number))
    }

    /// Whether the words next to a value refer to the slot.
    pub fn is_mentioned(&self, text: &SaidText<'_>, found: &FoundValue) -> bool {
        let before = text.folded.get(..found.bytes.start).unwrap_or_default();
        if let Some(unit) = self.unit.filter(|_| self.is_number()) {
            let is_own = unit == PEOPLE && found.counted.is_none() && has("mine", before);
            return is_own || found.unit == Some(unit);
        }
        let words = || text.words.iter();
        let before_it = words()
            .rev()
            .filter(|word| word.bytes.end <= found.bytes.start);
        let after_it = words().filter(|word| word.bytes.start >= found.bytes.end);
        let mut near = before_it
            .take(WORDS_BEFORE)
            .chain(after_it.take(WORDS_AFTER));
        let is_phone = self.formats.contains(&SlotFormat::Phone) && has("phone_cue", before);
        is_phone || near.any(|word| self.cues.contains(&word.stem))
    }

    /// Whether a number seems to count other things than the slot: "3 branches" for a number of people.
    pub fn counts_other_things(&self, found: &FoundValue) -> bool {
        let words = stemmed(found.counted.as_deref().unwrap_or_default());
        let mut words = words.iter().filter(|_| self.unit.is_some());
        words.any(|word| !self.cues.contains(&word.stem))
    }
}
