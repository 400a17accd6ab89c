//! Exit codes.

/// What a command came to, the lightest first. Where several hold, the weightiest is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Exit {
    /// All well.
    Ok,
    /// What was asked of the outside got no answer.
    Unavailable,
    /// The subject fell short: a failed scenario, a difference.
    Failed,
    /// The input was unusable: arguments, files, format.
    Unusable,
}

impl Exit {
    /// The weightiest of those that hold.
    pub(super) fn of<const N: usize>(holding: [(Self, bool); N]) -> Self {
        holding.into_iter().filter_map(|(exit, holds)| holds.then_some(exit)).max().unwrap_or(Self::Ok)
    }

    /// The code of the process.
    pub fn code(self) -> u8 {
        match self {
            Self::Ok => 0,
            Self::Failed => 1,
            Self::Unusable => 2,
            Self::Unavailable => 3,
        }
    }
}
