//! Findings of a run, without duplicates.

use std::collections::BTreeSet;

use super::run::ReportedFinding;
use fsmsim_syntax::diagnostic::{Diagnostics, SourceMap};

/// The findings of a run, without duplicates. They are collected for reports.
#[derive(Clone, Debug, Default)]
pub struct FindingLog {
    /// The texts of reported findings.
    reported: BTreeSet<String>,
    kept: Vec<ReportedFinding>,
}

impl FindingLog {
    /// Records findings with their rendered text. Returns whether they are new.
    pub fn note(&mut self, found: &Diagnostics, sources: &SourceMap, text: &str) -> bool {
        let is_new = !self.reported.contains(text);
        if is_new {
            self.reported.insert(text.to_owned());
            self.kept.extend(
                found
                    .items()
                    .iter()
                    .map(|item| ReportedFinding::of(item, sources, &str::to_owned)),
            );
        }
        is_new
    }

    /// Forgets the reported texts, so that the findings can be reported again.
    pub fn restart(&mut self) {
        self.reported.clear();
    }

    /// The recorded findings; `from_root` makes their paths relative to the project.
    pub fn take(&mut self, from_root: &dyn Fn(&str) -> String) -> Vec<ReportedFinding> {
        let mut kept = std::mem::take(&mut self.kept);
        for place in kept.iter_mut().filter_map(|finding| finding.at.as_mut()) {
            place.file = from_root(&place.file);
        }
        kept
    }
}
