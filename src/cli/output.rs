//! The output of commands as text or JSON.

use std::io::Write;
use std::path::Path;

use clap::ValueEnum;

use super::{CommandResult, Exit};
use fsmsim_reports::report::ReportKind;
use fsmsim_syntax::diagnostic::{Checked, Diagnostic};
use fsmsim_syntax::files::write_whole;
use fsmsim_syntax::terminal::{Escaping, stream};

/// How a command prints its result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum TextOrJson {
    /// For people
    #[default]
    Text,
    /// One JSON object
    Json,
}

/// How a command prints a list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum TextOrJsonl {
    /// For people
    #[default]
    Text,
    /// A JSON object a line
    Jsonl,
}

/// The escaping of text or JSON output.
pub(super) fn escaping(is_text: bool) -> Escaping {
    if is_text {
        Escaping::of_text()
    } else {
        Escaping::Json
    }
}

impl TextOrJson {
    /// The escaping of this output.
    pub(super) fn escaping(self) -> Escaping {
        escaping(self == Self::Text)
    }

    /// The report that replaces the text, if any.
    pub(super) fn report(self) -> Option<ReportKind> {
        (self == Self::Json).then_some(ReportKind::Json)
    }

    /// Prints the only result of a command that reads stored data.
    #[cfg(feature = "sqlite")]
    pub(super) fn print(
        self,
        text: impl FnOnce(&mut fsmsim_syntax::terminal::Outlet) -> std::io::Result<()>,
        json: impl FnOnce() -> serde_json::Value,
    ) -> CommandResult {
        let mut out = stream(self.escaping());
        match self {
            Self::Text => text(&mut out)?,
            Self::Json => writeln!(out, "{}", json())?,
        }
        out.flush()?;
        Ok(Exit::Ok)
    }
}

/// Prints the only result of a command.
pub(super) fn print(escaping: Escaping, text: impl AsRef<[u8]>) -> CommandResult {
    let mut out = stream(escaping);
    out.write_all(text.as_ref())?;
    out.flush()?;
    Ok(Exit::Ok)
}

/// Writes a file atomically.
pub(super) fn write_file(path: &Path, text: &str) -> Checked {
    write_whole(path, text).map_err(|error| Box::new(Diagnostic::unwritten(path, &error)))
}
