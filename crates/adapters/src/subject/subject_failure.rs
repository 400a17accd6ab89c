//! Failures of a system under test.

/// The reason why a system under test returned no valid answer: it is unreachable, the connection broke, or the format
/// is wrong. Wrong content of an answer is not a failure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SubjectFailure {
    /// The reason as a clause.
    pub reason: String,
}

impl SubjectFailure {
    pub fn new(reason: impl Into<String>) -> Self {
        Self {
            reason: reason.into(),
        }
    }
}
