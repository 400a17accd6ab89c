//! Exit codes, and what ends a command early.

use std::io;

use fsmsim_syntax::diagnostic::Diagnostic;
use fsmsim_syntax::terminal::tell;

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
        holding
            .into_iter()
            .filter_map(|(exit, holds)| holds.then_some(exit))
            .max()
            .unwrap_or(Self::Ok)
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

/// What ends a command early.
#[derive(Debug)]
pub(super) enum Stop {
    /// The input is unusable, for this reason.
    Finding(Box<Diagnostic>),
    /// The input is unusable, and it was told why.
    Told,
    /// The results cannot be written.
    Unwritten(io::Error),
}

impl Stop {
    /// Tells findings that are text already.
    pub(super) fn told(findings: &str) -> Self {
        tell(&format!("{findings}\n"));
        Self::Told
    }
}

impl From<Diagnostic> for Stop {
    fn from(finding: Diagnostic) -> Self {
        Self::Finding(Box::new(finding))
    }
}

impl From<Box<Diagnostic>> for Stop {
    fn from(finding: Box<Diagnostic>) -> Self {
        Self::Finding(finding)
    }
}

impl From<io::Error> for Stop {
    fn from(error: io::Error) -> Self {
        Self::Unwritten(error)
    }
}
