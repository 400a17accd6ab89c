//! Reports that commands read.

use std::path::Path;
use std::sync::Arc;

use super::limits::MAX_REPORT_BYTES;
use super::{CommandResult, Context, refuse_file};
use fsmsim_reports::report::{ReportHead, ReportedRun};
use fsmsim_syntax::document::read_file;

/// The text of a report file.
pub(super) struct ReportText {
    pub(super) file: String,
    text: Arc<str>,
}

impl ReportText {
    /// Reads a file.
    pub(super) fn read(path: &Path, context: &mut Context) -> CommandResult<Self> {
        let text = context.read(|sources, found| {
            let file = read_file(path, MAX_REPORT_BYTES, sources, found)?;
            Some(Arc::clone(sources.file(file)?.text()))
        })?;
        let file = path.display().to_string();
        Ok(Self { file, text })
    }

    /// Parses the report of a run.
    pub(super) fn parse<T>(&self, parse: impl Fn(&str) -> Result<T, String>) -> CommandResult<T> {
        self.parse_as("a run", "`--report json=FILE` wrote", parse)
    }

    /// Parses a report. `of` and `what_wrote` describe it in the error.
    pub(super) fn parse_as<T>(
        &self,
        of: &str,
        what_wrote: &str,
        parse: impl Fn(&str) -> Result<T, String>,
    ) -> CommandResult<T> {
        parse(&self.text).or_else(|error| {
            let title = format!("the file is no report of {of}: {error}");
            refuse_file(&self.file, title, format!("name what {what_wrote}"))
        })
    }

    /// Parses several reports, each with its file.
    pub(super) fn parse_all<T>(
        texts: &[Self],
        parse: impl Fn(&str) -> Result<T, String>,
    ) -> CommandResult<Vec<(String, T)>> {
        let parts = texts
            .iter()
            .map(|text| Ok((text.file.clone(), text.parse(&parse)?)));
        parts.collect()
    }

    /// Rejects the report of another command.
    pub(super) fn is_of(&self, wanted: ReportedRun) -> CommandResult<()> {
        let kind = self.parse(ReportHead::from_json)?.kind;
        if kind == wanted {
            return Ok(());
        }
        let [kind, wanted] = [kind, wanted].map(<&str>::from);
        refuse_file(
            &self.file,
            format!("the report is one of `fsmsim {kind}`"),
            format!("name one of `fsmsim {wanted}`"),
        )
    }
}
