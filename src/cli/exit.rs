//! Exit codes, and early ends of commands.

use std::fmt::Display;
use std::io;

use fsmsim_harness::scenario::SuiteCounts;
use fsmsim_syntax::diagnostic::{Code, Diagnostic};
use fsmsim_syntax::terminal::print_message;

/// The result of a command, in ascending order of severity. If several apply, the most severe one is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, clap::ValueEnum)]
pub enum Exit {
    /// Success.
    Ok,
    /// An external service did not answer.
    Unavailable,
    /// A test failed: a failed scenario, a difference.
    Failed,
    /// The input was invalid: arguments, files, formats.
    Unusable,
}

/// The result of a command or of one of its steps, or why it ends early.
pub(super) type CommandResult<T = Exit> = Result<T, Stop>;

impl Exit {
    /// The most severe result that applies.
    pub(super) fn of<const N: usize>(holding: [(Self, bool); N]) -> Self {
        holding
            .into_iter()
            .filter_map(|(exit, holds)| holds.then_some(exit))
            .max()
            .unwrap_or(Self::Ok)
    }

    /// The result of a scenario run, from its counts, invalid input, and other failures.
    pub(super) fn of_scenarios(counts: &SuiteCounts, is_invalid: bool, is_failed: bool) -> Self {
        Self::of([
            (Self::Unusable, is_invalid || counts.invalid > 0),
            (Self::Failed, is_failed || counts.has_failures()),
            (
                Self::Unavailable,
                counts.unavailable + counts.inconclusive > 0,
            ),
        ])
    }

    /// The exit code of the process.
    pub fn code(self) -> u8 {
        match self {
            Self::Ok => 0,
            Self::Failed => 1,
            Self::Unusable => 2,
            Self::Unavailable => 3,
        }
    }
}

/// Why a command ends early.
#[derive(Debug)]
pub(super) enum Stop {
    /// The input is invalid, for this reason.
    Finding(Box<Diagnostic>),
    /// The input is invalid, and the reason is already reported.
    Told,
    /// The results cannot be written.
    Unwritten(io::Error),
}

impl Stop {
    /// Reports findings that are already rendered.
    pub(super) fn rendered(findings: impl AsRef<str>) -> Self {
        print_message(&format!("{}\n", findings.as_ref()));
        Self::Told
    }
}

/// Rejects arguments with a title and a help text.
pub(super) fn refuse<T, E: From<Diagnostic>>(
    title: impl Into<String>,
    help: impl Into<String>,
) -> Result<T, E> {
    refuse_as(Code::BadArguments, title, help)
}

/// Ends a command with this finding.
pub(super) fn refuse_as<T, E: From<Diagnostic>>(
    code: Code,
    title: impl Into<String>,
    help: impl Into<String>,
) -> Result<T, E> {
    Err(Diagnostic::error(code, title).help(help).into())
}

/// Rejects a report that the arguments name.
pub(super) fn refuse_report<T>(
    file: impl Display,
    title: impl Into<String>,
    help: impl Into<String>,
) -> CommandResult<T> {
    Err(Diagnostic::error(Code::BadReport, title)
        .about(file.to_string())
        .help(help)
        .into())
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
