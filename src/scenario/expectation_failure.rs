//! Something that was not as expected.

use super::matcher::Mismatch;
use crate::diagnostic::Place;

/// Something that was not as expected.
#[derive(Debug)]
pub struct ExpectationFailure {
    /// The number of the turn; nothing for the end.
    pub turn: Option<u32>,
    /// Where the expectation is written.
    pub place: Place,
    /// What differs.
    pub mismatch: Mismatch,
    /// Why the turn went as it did.
    pub why: String,
    /// Whose failure it is.
    pub cause: FailureCause,
}

/// Whose failure it is that something was not as expected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailureCause {
    /// The flow's: everything that went in was fixed, so another play fails too.
    Flow,
    /// Perhaps the model's: in this turn or before it, a model gave an answer that may be another one next time.
    Model,
}
