//! Exit codes, and what ends a command early.

use std::fmt::Display;
use std::io;

use fsmsim_harness::scenario::SuiteCounts;
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

/// What a command came to, or a part of it, or what ends it early.
pub(super) type CommandResult<T = Exit> = Result<T, Stop>;

impl Exit {
    /// The weightiest of those that hold.
    pub(super) fn of<const N: usize>(holding: [(Self, bool); N]) -> Self {
        holding
            .into_iter()
            .filter_map(|(exit, holds)| holds.then_some(exit))
            .max()
            .unwrap_or(Self::Ok)
    }

    /// Of a run of scenarios, whose input may be unusable, or which may fall short, beside what the scenarios came to.
    pub(super) fn of_scenarios(counts: &SuiteCounts, is_unusable: bool, falls_short: bool) -> Self {
        Self::of([
            (Self::Unusable, is_unusable || counts.unusable > 0),
            (Self::Failed, falls_short || counts.has_failures()),
            (
                Self::Unavailable,
                counts.unavailable + counts.inconclusive > 0,
            ),
        ])
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
    pub(super) fn told(findings: impl AsRef<str>) -> Self {
        tell(&format!("{}\n", findings.as_ref()));
        Self::Told
    }
}

/// Refuses arguments: what is wrong with them, and what helps.
pub(super) fn refuse<T, E: From<Diagnostic>>(
    title: impl Into<String>,
    help: impl Into<String>,
) -> Result<T, E> {
    Err(Diagnostic::bad_arguments(title).help(help).into())
}

/// Refuses a file that the arguments name.
pub(super) fn refuse_file<T, E: From<Diagnostic>>(
    file: impl Display,
    title: impl Into<String>,
    help: impl Into<String>,
) -> Result<T, E> {
    let finding = Diagnostic::bad_arguments(title).about(file.to_string());
    Err(finding.help(help).into())
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
