//! The differences between two traces or models: as text, JSON and HTML.

mod html;
mod json;
mod text;
pub(super) mod words;

use std::io::{self, Write};

pub(super) use text::write_edited_lines;

use super::equivalence::EquivalenceReport;
use super::report_kind::ReportKind;
use fsmsim_harness::diff::TraceComparison;
use fsmsim_search::search::Equivalence;

/// A comparison with the names of its sides.
#[derive(Debug)]
pub struct DifferenceReport {
    /// The name of the first side.
    pub a: String,
    /// The name of the second side.
    pub b: String,
    pub comparison: TraceComparison,
    /// The number of turns that the text shows before and after a difference. The page shows all turns that the
    /// comparison has.
    pub context: usize,
    /// The comparison of two models in every dialogue.
    pub proof: Option<Equivalence>,
}

impl DifferenceReport {
    pub fn json(&self) -> serde_json::Value {
        let mut value = json::value(&self.comparison);
        if let (Some(pairs), Some(proof)) = (value.as_object_mut(), self.proof()) {
            pairs.insert("proof".to_owned(), proof.json());
        }
        value
    }

    fn proof(&self) -> Option<EquivalenceReport<'_>> {
        let (a, b) = (&*self.a, &*self.b);
        let result = self.proof.as_ref()?;
        Some(EquivalenceReport { result, a, b })
    }

    /// Writes the report in this format.
    pub fn write(&self, kind: ReportKind, out: &mut dyn Write) -> io::Result<()> {
        match kind {
            ReportKind::Json => writeln!(out, "{:#}", self.json()),
            ReportKind::Html => html::write(self, out),
            _ => text::write(self, out),
        }
    }
}
