//! The kind and the target of a report.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::report_kind::ReportKind;
use fsmsim_syntax::diagnostic::{Checked, Diagnostic, nearest_or};
use fsmsim_syntax::files::{InputFiles, real_path, write_output};
use fsmsim_syntax::terminal::{Joined, results};

/// A report target: `KIND` or `KIND=FILE`.
#[derive(Clone, Debug)]
pub struct ReportTarget {
    pub kind: ReportKind,
    /// The file; `None` for standard output.
    file: Option<PathBuf>,
}

impl ReportTarget {
    /// Parses a report target; `kinds` are the allowed kinds.
    pub fn parse(text: &str, kinds: &[ReportKind]) -> Result<Self, String> {
        let (name, file) = match text.split_once('=') {
            Some((name, file)) => (name, Some(file)),
            None => (text, None),
        };
        if file.is_some_and(str::is_empty) {
            return Err("missing file name after `=`".to_owned());
        }
        Self::of(name, file.map(PathBuf::from), kinds)
    }

    /// The target with this name of a kind and this file; `kinds` are the allowed kinds.
    pub fn of(name: &str, file: Option<PathBuf>, kinds: &[ReportKind]) -> Result<Self, String> {
        let Some(kind) = kinds.iter().find(|kind| kind.name() == name) else {
            let names = || kinds.iter().map(|kind| kind.name());
            let all = || {
                format!(
                    "the kinds are {}",
                    names().map(|name| format!("`{name}`")).joined(", ")
                )
            };
            return Err(format!(
                "unknown report `{name}`: {}",
                nearest_or(name, names(), all)
            ));
        };
        Ok(Self { kind: *kind, file })
    }

    /// Whether one of the two targets replaces the other: both have this kind, or both use standard output.
    pub fn excludes(&self, other: &Self) -> bool {
        self.kind == other.kind || self.file.is_none() && other.file.is_none()
    }

    /// These targets, plus the `--format` report for standard output unless its format is text. Each report has its own
    /// file, and at most one can use standard output.
    pub fn with_format(targets: &[Self], shown: Option<ReportKind>) -> Checked<Vec<Self>> {
        let on_stdout = targets.iter().filter(|target| target.file.is_none());
        if on_stdout.count() > 1 {
            return Diagnostic::bad_arguments("cannot write two reports to standard output")
                .help("write one of them to a file: `--report json=FILE`")
                .fail();
        }
        if shown.is_some() && !Self::shows_text(targets) {
            return Diagnostic::bad_arguments(
                "cannot write both a report and `--format` to standard output",
            )
            .help("write the report to a file: `--report json=FILE`")
            .fail();
        }
        let mut files = BTreeSet::new();
        for file in Self::files(targets) {
            let real = real_path(file);
            // Users write these files. No report has such a name, so the file is not an earlier report.
            let end = real.extension().and_then(OsStr::to_str);
            let is_source = matches!(end, Some("yaml" | "yml" | "toml" | "snap"));
            let what = if is_source && file.is_file() {
                "a report"
            } else if !files.insert(real) && (file.is_file() || !file.exists()) {
                // A device, such as `/dev/null`, can have several reports.
                "two reports"
            } else {
                continue;
            };
            return Diagnostic::bad_arguments(format!(
                "cannot write {what} to `{}`",
                file.display()
            ))
            .help("use a new file, for example `--report json=report.json`")
            .fail();
        }
        let shown = shown.map(|kind| Self { kind, file: None });
        Ok(targets.iter().cloned().chain(shown).collect())
    }

    fn files(targets: &[Self]) -> impl Iterator<Item = &Path> {
        targets.iter().filter_map(|target| target.file.as_deref())
    }

    /// Checks that no report overwrites a file that was read.
    ///
    /// # Errors
    /// Returns a finding for the first such report.
    pub fn check(targets: &[Self]) -> Checked {
        Self::files(targets).try_for_each(|file| {
            let refused = |error| Diagnostic::unwritten(file, &error).help("use another file");
            InputFiles::check(file).map_err(|error| Box::new(refused(error)))
        })
    }

    /// Whether no report replaces the text on standard output.
    pub fn shows_text(targets: &[Self]) -> bool {
        targets
            .iter()
            .all(|target| target.file.is_some() || target.kind.follows_text())
    }

    /// Writes the reports to their files, and one report or the text to standard output. `write` renders a kind. GitHub
    /// annotations follow the text.
    ///
    /// # Errors
    /// Returns an error if writing to standard output fails, or a finding if a file cannot be written.
    pub fn write_all<E: From<io::Error> + From<Diagnostic>>(
        targets: &[Self],
        write: impl Fn(ReportKind, &mut dyn Write) -> io::Result<()>,
    ) -> Result<(), E> {
        Self::check(targets).map_err(|finding| *finding)?;
        let mut shown = ReportKind::Text;
        for target in targets {
            let Some(file) = &target.file else {
                shown = target.kind;
                continue;
            };
            let mut text = Vec::new();
            write(target.kind, &mut text)?;
            write_output(file, &String::from_utf8_lossy(&text))
                .map_err(|error| Diagnostic::unwritten(file, &error))?;
        }
        if shown.follows_text() {
            let mut out = results(ReportKind::Text.escaping());
            write(ReportKind::Text, &mut out)?;
            out.flush()?;
        }
        let mut out = results(shown.escaping());
        write(shown, &mut out)?;
        Ok(out.flush()?)
    }
}
