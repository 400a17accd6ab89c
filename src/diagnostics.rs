use std::error::Error;
use std::fmt;

use fsmsim_syntax::diagnostic::{self, SourceMap, render};

pub use fsmsim_syntax::diagnostic::Severity;

/// All findings from one run, for example from loading a model.
///
/// `Display` prints them as the program does, with excerpts of the files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Diagnostics {
    diagnostics: Vec<Diagnostic>,
    text: String,
}

/// One finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// The stable code, for example `FS0101`. `fsmsim explain FS0101` explains it.
    pub code: &'static str,
    /// Only errors make an input unusable.
    pub severity: Severity,
    /// The problem, in one line.
    pub title: String,
    /// `FILE:LINE:COLUMN`, or a path if the finding is not about a specific text. Lines and columns start at 1; columns
    /// count characters.
    pub location: Option<String>,
    /// How to fix the problem.
    pub help: Option<String>,
}

impl Diagnostics {
    pub(crate) fn new(found: &diagnostic::Diagnostics, sources: &SourceMap) -> Self {
        let diagnostics = found
            .items()
            .iter()
            .map(|item| Diagnostic {
                code: item.code.as_str(),
                severity: item.severity,
                title: item.title.clone(),
                location: match item.labels.first() {
                    Some(label) => Some(sources.place(label.span).to_string()),
                    None => item.path.clone(),
                },
                help: item.help.clone(),
            })
            .collect();
        Self {
            diagnostics,
            text: render(found, sources, false),
        }
    }

    /// The findings, errors first.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.diagnostics
    }
}

impl fmt::Display for Diagnostics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text.trim_end())
    }
}

impl Error for Diagnostics {}
