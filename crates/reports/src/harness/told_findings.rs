//! Findings of a run, and how a terminal shows them.

use crate::report::{FindingLog, ReportedFinding};
use fsmsim_harness::suite::SuiteObserver;
use fsmsim_syntax::diagnostic::{Diagnostics, SourceMap, render};

/// Findings of a run, each once, with the text that a terminal shows of it.
#[derive(Default)]
pub(super) struct ToldFindings {
    log: FindingLog,
    told: Vec<String>,
}

impl ToldFindings {
    /// The findings with their paths from the project, and their texts in the order in which they came.
    pub(super) fn take(
        self,
        from_root: &dyn Fn(&str) -> String,
    ) -> (Vec<ReportedFinding>, Vec<String>) {
        let Self { mut log, told } = self;
        (log.take(from_root), told)
    }
}

impl SuiteObserver for ToldFindings {
    fn found(&mut self, found: &Diagnostics, sources: &SourceMap) {
        let text = render(found, sources, false);
        if !found.is_empty() && self.log.note(found, sources, &text) {
            self.told.push(text.trim_end().to_owned());
        }
    }
}
