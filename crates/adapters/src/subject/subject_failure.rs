//! Why a subject gave no answer that can be judged.

/// Why a subject gave no answer that can be judged: it is not there, it broke off, or it speaks otherwise than is agreed. What
/// it says wrongly is no such failure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SubjectFailure {
    /// The reason, for people.
    pub reason: String,
}

impl SubjectFailure {
    /// For this reason.
    pub fn new(reason: impl Into<String>) -> Self {
        Self {
            reason: reason.into(),
        }
    }
}
