//! A reading with its confidence, and whether it is correct.

use fsmsim_core::engine::{ReadingDecision, RecognitionConfidence};

/// A reading with its confidence and the labeled intent.
pub(super) struct ScoredInterpretation<'r> {
    pub doubt: &'r RecognitionConfidence,
    pub meant: &'r str,
    pub is_correct: bool,
}

impl ScoredInterpretation<'_> {
    /// Whether the clarification question for this decision offers the labeled intent.
    pub(super) fn offers(&self, disposition: ReadingDecision) -> bool {
        let offered = &self.doubt.offered;
        match disposition {
            ReadingDecision::Confirm => offered.first().is_some_and(|name| **name == *self.meant),
            ReadingDecision::Disambiguate => offered.iter().any(|name| **name == *self.meant),
            ReadingDecision::Execute | ReadingDecision::Fallback => false,
        }
    }
}
