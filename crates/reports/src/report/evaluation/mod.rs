//! Recognition quality: as text, JSON and HTML.

mod eval_page;
mod text;
mod words;

use std::io::{self, Write};

use super::report_kind::ReportKind;
use super::run::{HeadedReport, ReportHead};
use fsmsim_harness::eval::EvalResult;

/// The report of an evaluation.
#[derive(Debug)]
pub struct EvalReport<'r> {
    pub head: &'r ReportHead,
    pub result: &'r EvalResult,
}

impl EvalReport<'_> {
    /// Writes the report in this format.
    pub fn write(&self, kind: ReportKind, out: &mut dyn Write) -> io::Result<()> {
        match kind {
            ReportKind::Text => text::write(self.result, out),
            ReportKind::Json => HeadedReport {
                head: self.head,
                result: self.result,
            }
            .write(out),
            ReportKind::Html => out.write_all(eval_page::write(self.result)?.as_bytes()),
            _ => Ok(()),
        }
    }
}

/// Reads the result of an evaluation from its report.
pub fn read_eval_report(text: &str) -> Result<EvalResult, String> {
    let head = ReportHead::from_json(text)?;
    if head.kind != super::run::ReportedRun::Eval {
        return Err(format!(
            "expected a report of `eval`, found one of `{}`",
            <&str>::from(head.kind)
        ));
    }
    serde_json::from_str(text).map_err(|error| error.to_string())
}
