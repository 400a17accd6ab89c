//! Collects the findings of a run with their rendered text.

use crate::report::{FindingLog, ReportedFinding};
use fsmsim_harness::suite::SuiteObserver;
use fsmsim_syntax::diagnostic::{Diagnostics, SourceMap, render};

/// The findings of a run, each once, with their rendered text.
#[derive(Default)]
pub(super) struct ReportedFindings {
    log: FindingLog,
    texts: Vec<String>,
}

impl ReportedFindings {
    /// The findings with relative paths, and their texts in the order of the run.
    pub(super) fn take(
        self,
        from_root: &dyn Fn(&str) -> String,
    ) -> (Vec<ReportedFinding>, Vec<String>) {
        let Self { mut log, texts } = self;
        (log.take(from_root), texts)
    }
}

impl SuiteObserver for ReportedFindings {
    fn found(&mut self, found: &Diagnostics, sources: &SourceMap) {
        let text = render(found, sources, false);
        if !found.is_empty() && self.log.note(found, sources, &text) {
            self.texts.push(text.trim_end().to_owned());
        }
    }
}
