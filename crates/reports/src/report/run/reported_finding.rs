//! A finding about the input in a report.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::reported_place::ReportedPlace;
use fsmsim_syntax::diagnostic::{Diagnostic, SourceMap};

/// A finding about the input.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ReportedFinding {
    /// The location. `None` if the finding has no file.
    pub at: Option<ReportedPlace>,
    pub code: String,
    /// `error`, `warning` or `note`.
    pub severity: String,
    /// The problem, in one line.
    pub title: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    pub help: Option<String>,
}

impl ReportedFinding {
    /// Converts a finding; `from_root` converts command-line paths to relative paths.
    pub fn of(
        finding: &Diagnostic,
        sources: &SourceMap,
        from_root: &dyn Fn(&str) -> String,
    ) -> Self {
        let place = finding
            .labels
            .first()
            .map(|label| sources.place(label.span));
        let at = match (place, &finding.path) {
            (Some(place), _) => Some(ReportedPlace::of(&place, from_root(&place.path))),
            (None, Some(path)) => Some(ReportedPlace::read(path, from_root)),
            (None, None) => None,
        };
        Self {
            at,
            code: finding.code.to_string(),
            severity: <&str>::from(finding.severity).to_owned(),
            title: finding.title.clone(),
            notes: finding.notes.clone(),
            help: finding.help.clone(),
        }
    }
}

/// Location, title and help in one line.
impl fmt::Display for ReportedFinding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(at) = &self.at {
            write!(f, "{at}: ")?;
        }
        f.write_str(&self.title)?;
        match &self.help {
            Some(help) => write!(f, "; {help}"),
            None => Ok(()),
        }
    }
}
