//! What differs between two traces or models: for people, for programs, as a page.

mod html;
mod json;
mod text;
mod words;

use std::io::{self, Write};

use crate::diff::TraceComparison;

/// Dialogues of a cause that are named; the rest are counted.
const NAMED: usize = 10;

/// A comparison with the names of its sides, ready to be written.
#[derive(Debug)]
pub struct DifferenceReport {
    /// What the first side is called.
    pub a: String,
    /// What the second side is called.
    pub b: String,
    /// The comparison.
    pub comparison: TraceComparison,
}

impl DifferenceReport {
    /// Writes text for people.
    ///
    /// # Errors
    /// Those of writing.
    pub fn write_text(&self, out: &mut impl Write) -> io::Result<()> {
        text::write(self, out)
    }

    /// Writes one object of JSON.
    ///
    /// # Errors
    /// Those of writing.
    pub fn write_json(&self, out: &mut impl Write) -> io::Result<()> {
        json::write(&self.comparison, out)
    }

    /// Writes a page of HTML that needs nothing else.
    ///
    /// # Errors
    /// Those of writing.
    pub fn write_html(&self, out: &mut impl Write) -> io::Result<()> {
        html::write(self, out)
    }
}
