//! The values that one slot can have in an utterance.

use crate::recognizer::slot_offer::SlotOffer;
use fsmsim_core::machine::{SlotFormat, SlotKind};
use fsmsim_core::values::{FoundValue, ReadableSlot, SaidValues};

/// Words of the longest utterance in which a weak value, such as a short phone number, counts.
const MAX_WEAK_WORDS: usize = 3;

/// A slot that values are read for.
#[derive(Clone, Debug)]
pub(super) struct SlotReader {
    pub slot: ReadableSlot,
    /// Whether the slot can store a complete utterance.
    pub is_text: bool,
}

impl SlotReader {
    pub(super) fn of(offer: &SlotOffer<'_>) -> Self {
        let mut declared = offer.declared.clone();
        // A text is also a list of one item.
        let is_open = matches!(declared.kind, None | Some(SlotKind::Text | SlotKind::List))
            && declared.values.is_empty()
            && declared.format.is_none()
            && !offer.is_number;
        if offer.is_number {
            declared.kind = Some(SlotKind::Number);
        }
        let formats: &[SlotFormat] = match offer.name {
            _ if !is_open => &[],
            "email" => &[SlotFormat::Email],
            "phone" => &[SlotFormat::Phone],
            "contact" | "contact_info" => &[SlotFormat::Email, SlotFormat::Phone],
            "name" => &[SlotFormat::Name],
            _ => {
                declared.values = offer.hints.as_slice().into();
                &[]
            }
        };
        let mut slot = ReadableSlot::of(offer.name, declared);
        slot.formats.extend(formats);
        Self {
            is_text: is_open && matches!(formats, [] | [SlotFormat::Name]),
            slot,
        }
    }

    /// The values that can be meant for the slot: those that words next to them assign to it (`true`), otherwise all. The
    /// state requests the slot if `is_wanted`, and no other slot has the same formats if `is_only`.
    pub(super) fn candidates(
        &self,
        said: &SaidValues<'_>,
        is_wanted: bool,
        is_only: bool,
    ) -> Vec<(FoundValue, bool)> {
        let mut found = said.fitting(&self.slot);
        if found.iter().any(|found| !found.is_weak) {
            found.retain(|found| !found.is_weak);
        }
        let mentioned = |found: &FoundValue| self.slot.is_mentioned(&said.text, found);
        if found.iter().any(mentioned) {
            found.retain(mentioned);
            return found.into_iter().map(|found| (found, true)).collect();
        }
        let is_short = said.text.word_count() <= MAX_WEAK_WORDS;
        let is_contact = self.slot.formats.contains(&SlotFormat::Phone);
        let is_number = self.slot.is_number();
        found.retain(|found| {
            let is_strong = !found.is_weak || is_wanted && (is_short || !is_contact);
            let is_meant = if is_number {
                is_wanted && !self.slot.counts_other_things(found)
            } else {
                is_wanted || is_only
            };
            is_strong && is_meant
        });
        found.into_iter().map(|found| (found, false)).collect()
    }

    /// Whether only a complete utterance can be the value.
    pub(super) fn is_only_text(&self) -> bool {
        self.is_text && self.slot.formats.is_empty() && self.slot.declared.values.is_empty()
    }

    /// Whether another slot has values of the same formats.
    pub(super) fn is_like(&self, other: &Self) -> bool {
        !self.slot.formats.is_empty() && self.slot.formats == other.slot.formats
    }
}
