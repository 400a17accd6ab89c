//! What differs between two traces or models: for people, for programs, as a page.

mod html;
mod json;
mod text;
pub(super) mod words;

use std::io::{self, Write};

use super::report_kind::ReportKind;
use fsmsim_harness::diff::TraceComparison;

/// A comparison with the names of its sides, ready to be written.
#[derive(Debug)]
pub struct DifferenceReport {
    /// What the first side is called.
    pub a: String,
    /// What the second side is called.
    pub b: String,
    pub comparison: TraceComparison,
}

impl DifferenceReport {
    pub fn json(&self) -> serde_json::Value {
        json::value(&self.comparison)
    }

    /// Writes the report as this kind.
    pub fn write(&self, kind: ReportKind, out: &mut dyn Write) -> io::Result<()> {
        match kind {
            ReportKind::Json => json::write(&self.comparison, out),
            ReportKind::Html => html::write(self, out),
            _ => text::write(self, out),
        }
    }
}
