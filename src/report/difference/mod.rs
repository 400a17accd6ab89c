//! What differs between two traces or models: for people, for programs, as a page.

mod html;
mod json;
mod text;
pub(super) mod words;

use std::io::{self, Write};

use crate::diff::TraceComparison;
use crate::terminal::Escaping;

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

/// How differences are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
pub enum DiffFormat {
    /// For people
    Text,
    /// One JSON object
    Json,
    /// A page of HTML that needs nothing else
    Html,
}

impl DiffFormat {
    /// How such differences stand on standard output.
    pub fn escaping(self) -> Escaping {
        match self {
            Self::Text => Escaping::of_text(),
            Self::Json => Escaping::Json,
            Self::Html => Escaping::Plain,
        }
    }
}

impl DifferenceReport {
    /// Writes the report as this kind.
    ///
    /// # Errors
    /// Those of writing.
    pub fn write(&self, format: DiffFormat, out: &mut impl Write) -> io::Result<()> {
        match format {
            DiffFormat::Text => text::write(self, out),
            DiffFormat::Json => json::write(&self.comparison, out),
            DiffFormat::Html => html::write(self, out),
        }
    }
}
