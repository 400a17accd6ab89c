//! A reading with its confidence and its correctness.

use fsmsim_core::engine::{ReadingDecision, ReadingDoubt};

/// A reading with its confidence and the labeled intent.
pub(super) struct JudgedDoubt<'r> {
    pub(super) doubt: &'r ReadingDoubt,
    pub(super) meant: &'r str,
    pub(super) is_right: bool,
}

impl JudgedDoubt<'_> {
    /// Whether a clarification question offers the labeled intent.
    pub(super) fn offers(&self, taken: ReadingDecision) -> bool {
        let offered = &self.doubt.offered;
        match taken {
            ReadingDecision::Confirm => offered.first().is_some_and(|name| **name == *self.meant),
            ReadingDecision::Disambiguate => offered.iter().any(|name| **name == *self.meant),
            ReadingDecision::Execute | ReadingDecision::Fallback => false,
        }
    }
}
