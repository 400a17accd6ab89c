//! The output of commands as text or JSON.

use std::io::Write;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};

use super::{CommandResult, Exit};
use fsmsim_reports::report::{ReportKind, ReportTarget};
use fsmsim_syntax::diagnostic::{Checked, Diagnostic};
use fsmsim_syntax::files::write_output;
use fsmsim_syntax::terminal::{Escaping, Joined, print_message, stream};

/// How a command prints its result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum TextOrJson {
    /// Human-readable text
    #[default]
    Text,
    /// One JSON object
    Json,
}

/// How a command prints a list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum TextOrJsonl {
    /// Human-readable text
    #[default]
    Text,
    /// JSON Lines
    Jsonl,
}

/// The output of a command that reports as text, JSON or HTML.
#[derive(Debug, Args)]
pub(super) struct OutputArgs {
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    format: TextOrJson,
    #[arg(long, value_name = "KIND[=FILE]", help = report_help(&Self::KINDS), value_parser = |text: &str| ReportTarget::parse(text, &Self::KINDS))]
    report: Vec<ReportTarget>,
}

impl OutputArgs {
    /// The kinds of `--report`.
    pub(super) const KINDS: [ReportKind; 2] = [ReportKind::Json, ReportKind::Html];

    /// The reports to write, including the report that replaces the text.
    pub(super) fn targets(&self) -> Checked<Vec<ReportTarget>> {
        let format = (self.format == TextOrJson::Json).then_some(ReportKind::Json);
        ReportTarget::with_format(&self.report, format)
    }
}

/// The help text of `--report` with these kinds.
pub(super) fn report_help(kinds: &[ReportKind]) -> String {
    let github = if kinds.contains(&ReportKind::Github) {
        " (`github`: after the text)"
    } else {
        ""
    };
    let kinds = kinds.iter().map(|kind| kind.name()).joined(", ");
    format!("Write a report to FILE, or print it instead of the text{github} [kinds: {kinds}]")
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

    /// Prints the only result of a command that reads stored data.
    #[cfg(feature = "sqlite")]
    pub(super) fn print(
        self,
        text: impl FnOnce(&mut fsmsim_syntax::terminal::StdoutWriter) -> std::io::Result<()>,
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

/// Saves a scenario in a folder. If the name is taken by another text, the name gets a number.
pub(super) fn save_scenario(folder: &Path, stem: &str, text: &str) -> CommandResult<()> {
    std::fs::create_dir_all(folder)?;
    let names = (1..).map(|number| match number {
        1 => format!("{stem}.yaml"),
        number => format!("{stem}_{number}.yaml"),
    });
    let is_free = |path: &PathBuf| std::fs::read_to_string(path).map_or(true, |old| old == text);
    if let Some(path) = names.map(|name| folder.join(name)).find(is_free) {
        write_file(&path, text)?;
        print_message(&format!("saved {}\n", path.display()));
    }
    Ok(())
}

/// Writes a file atomically, unless the command reads it.
pub(super) fn write_file(path: &Path, text: &str) -> Checked {
    write_output(path, text).map_err(|error| Box::new(Diagnostic::unwritten(path, &error)))
}
