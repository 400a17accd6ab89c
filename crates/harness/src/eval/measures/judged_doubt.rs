//! A reading with its confidence, and whether it is right.

use fsmsim_core::engine::{ReadingDecision, ReadingDoubt};

/// A reading, what decides how it is taken, and what was meant.
pub(super) struct JudgedDoubt<'r> {
    pub(super) doubt: &'r ReadingDoubt,
    pub(super) meant: &'r str,
    pub(super) is_right: bool,
}

impl JudgedDoubt<'_> {
    /// Whether a question offers what was meant.
    pub(super) fn offers(&self, taken: ReadingDecision) -> bool {
        let offered = &self.doubt.offered;
        match taken {
            ReadingDecision::Confirm => offered.first().is_some_and(|name| **name == *self.meant),
            ReadingDecision::Disambiguate => offered.iter().any(|name| **name == *self.meant),
            ReadingDecision::Execute | ReadingDecision::Fallback => false,
        }
    }
}
