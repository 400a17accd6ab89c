//! The formats of commands that print for people or for programs.

use clap::ValueEnum;

use fsmsim_reports::report::ReportKind;
use fsmsim_syntax::terminal::Escaping;

/// How a command prints its result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum TextOrJson {
    /// For people
    #[default]
    Text,
    /// One JSON object
    Json,
}

impl TextOrJson {
    /// What must be escaped in such output.
    pub(super) fn escaping(self) -> Escaping {
        match self {
            Self::Text => Escaping::of_text(),
            Self::Json => Escaping::Json,
        }
    }

    /// The report that is printed instead of the text, if any.
    pub(super) fn report(self) -> Option<ReportKind> {
        (self == Self::Json).then_some(ReportKind::Json)
    }
}
