//! A value in an utterance.

use std::ops::Range;

use crate::machine::Value;

/// A value in an utterance.
#[derive(Clone, Debug, PartialEq)]
pub struct FoundValue {
    pub value: Value,
    /// The bytes of the utterance.
    pub bytes: Range<usize>,
    /// Whether the utterance gives the value only approximately, or it can also mean another value.
    pub is_uncertain: bool,
    /// Whether the value counts only if the dialogue asks for it: `2-45-17` can be a phone number.
    pub is_weak: bool,
    /// The unit of a number.
    pub unit: Option<u32>,
    /// The word after a number without a unit, which might name other things than the slot counts.
    pub counted: Option<Box<str>>,
}

impl FoundValue {
    pub(super) fn new(value: Value) -> Self {
        Self {
            value,
            bytes: 0..0,
            is_uncertain: false,
            is_weak: false,
            unit: None,
            counted: None,
        }
    }

    pub(super) fn at(mut self, bytes: Range<usize>) -> Self {
        self.bytes = bytes;
        self
    }

    /// The value, uncertain if `is_uncertain`.
    pub(super) fn doubted(mut self, is_uncertain: bool) -> Self {
        self.is_uncertain |= is_uncertain;
        self
    }

    /// The value, weak if `is_weak`.
    pub(super) fn weakened(mut self, is_weak: bool) -> Self {
        self.is_weak = is_weak;
        self
    }

    /// Whether another value is partly at the same place.
    pub fn overlaps(&self, other: &Self) -> bool {
        self.bytes.start < other.bytes.end && other.bytes.start < self.bytes.end
    }
}
