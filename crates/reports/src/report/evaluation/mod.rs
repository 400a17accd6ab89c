//! How well is read: for people, for programs, as a page.

mod eval_page;
mod text;
mod words;

use std::io::{self, Write};

use super::report_kind::ReportKind;
use super::run::{HeadedReport, ReportHead};
use fsmsim_harness::eval::EvalResult;

/// What an evaluation came to, ready to be written.
#[derive(Debug)]
pub struct EvalReport<'r> {
    /// What it is of.
    pub head: &'r ReportHead,
    /// What it came to.
    pub result: &'r EvalResult,
}

impl EvalReport<'_> {
    /// Writes the report as this kind.
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

/// Reads what an evaluation came to from its report.
pub fn read_eval_report(text: &str) -> Result<EvalResult, String> {
    let head = ReportHead::from_json(text)?;
    if head.kind != super::run::ReportedRun::Eval {
        return Err(format!("it is a report of `{}`", <&str>::from(head.kind)));
    }
    serde_json::from_str(text).map_err(|error| error.to_string())
}
