//! Exit codes.

/// What a command came to. Where several hold, the first in this order is told: unusable input, a subject that fell
/// short, an outside that was unavailable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// All well.
    Ok,
    /// The subject fell short: a failed scenario, a difference.
    Failed,
    /// The input was unusable: arguments, files, format.
    Unusable,
    /// What was asked of the outside got no answer.
    Unavailable,
}

impl Exit {
    /// The code of the process.
    #[must_use]
    pub fn code(self) -> u8 {
        match self {
            Self::Ok => 0,
            Self::Failed => 1,
            Self::Unusable => 2,
            Self::Unavailable => 3,
        }
    }
}
