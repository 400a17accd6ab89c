//! Excerpts of source files for pages.

use schemars::JsonSchema;
use serde::Serialize;

use fsmsim_syntax::diagnostic::SourceFile;

/// The number of lines before and after the central line.
const AROUND: usize = 2;

/// An excerpt of a source file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SourceExcerpt {
    /// The number of the first line, from 1.
    pub first: usize,
    /// The number of the referenced line.
    pub line: usize,
    /// The lines.
    pub lines: Vec<String>,
}

impl SourceExcerpt {
    /// The lines around a line with this number, from 1.
    pub fn of(file: &SourceFile, line: usize) -> Self {
        // A file can be an excerpt from a longer file.
        let (begins, _) = file.line_of(0);
        let first = line.saturating_sub(AROUND).max(begins);
        let lines = file
            .text()
            .lines()
            .skip(first - begins)
            .take((line + AROUND + 1).saturating_sub(first));
        Self {
            first,
            line,
            lines: lines.map(str::to_owned).collect(),
        }
    }
}
