//! Findings of a run: none is told twice.

use std::collections::BTreeSet;

use super::run::ReportedFinding;
use fsmsim_syntax::diagnostic::{Diagnostics, SourceMap};

/// Findings of a run: none is told twice, and all are kept for whoever writes them down.
#[derive(Clone, Debug, Default)]
pub struct FindingLog {
    /// What was told, as text.
    told: BTreeSet<String>,
    kept: Vec<ReportedFinding>,
}

impl FindingLog {
    /// Notes findings that are told as this text; whether they are new.
    pub fn note(&mut self, found: &Diagnostics, sources: &SourceMap, text: &str) -> bool {
        let is_new = !self.told.contains(text);
        if is_new {
            self.told.insert(text.to_owned());
            self.kept.extend(
                found
                    .items()
                    .iter()
                    .map(|item| ReportedFinding::of(item, sources, &str::to_owned)),
            );
        }
        is_new
    }

    /// Forgets what was told.
    pub fn begin_anew(&mut self) {
        self.told.clear();
    }

    /// The findings that were noted so far; `from_root` makes their paths those from the project.
    pub fn take(&mut self, from_root: &dyn Fn(&str) -> String) -> Vec<ReportedFinding> {
        let mut kept = std::mem::take(&mut self.kept);
        for place in kept.iter_mut().filter_map(|finding| finding.at.as_mut()) {
            place.file = from_root(&place.file);
        }
        kept
    }
}
