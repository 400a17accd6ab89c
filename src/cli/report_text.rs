//! Reports that commands read.

use std::path::Path;
use std::sync::Arc;

use super::limits::MAX_REPORT_BYTES;
use super::{CommandResult, Context, refuse_report};
use fsmsim_reports::report::{ReportHead, ReportedRun};
use fsmsim_syntax::document::read_file;

/// The text of a report file.
pub(super) struct ReportText {
    pub file: String,
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
        self.parse_as("run report", "`--report json=FILE`", parse)
    }

    /// Parses a report. `what` and `writer` describe it in the error.
    pub(super) fn parse_as<T>(
        &self,
        what: &str,
        writer: &str,
        parse: impl Fn(&str) -> Result<T, String>,
    ) -> CommandResult<T> {
        parse(&self.text).or_else(|error| {
            let is_object = self.text.trim_start().starts_with('{');
            let error = if is_object {
                &*error
            } else {
                "expected a JSON object"
            };
            let title = format!("invalid {what}: {error}");
            refuse_report(&self.file, title, format!("use a file written by {writer}"))
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

    /// The head of the report. Rejects the report of another command.
    pub(super) fn head_of(&self, wanted: ReportedRun) -> CommandResult<ReportHead> {
        let head = self.parse(ReportHead::from_json)?;
        if head.kind == wanted {
            return Ok(head);
        }
        let [kind, wanted] = [head.kind, wanted].map(<&str>::from);
        refuse_report(
            &self.file,
            format!("expected a report of `fsmsim {wanted}`, found one of `fsmsim {kind}`"),
            format!("use a file written by `fsmsim {wanted} --report json=FILE`"),
        )
    }
}
