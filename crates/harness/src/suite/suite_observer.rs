//! Follows a run of scenarios.

use std::sync::Arc;

use crate::scenario::{RecordedTurns, ScenarioResult};
use fsmsim_runtime::project::ModelCache;
use fsmsim_syntax::diagnostic::{Diagnostics, SourceMap};

/// Follows a run of scenarios: writes a report, prints progress, collects findings. It is called on the thread that runs the
/// suite, in the order of the files and of the scenarios in them, independent of the number of threads that play.
pub trait SuiteObserver {
    /// Something was found about the scenarios or about what they name. Findings about scenarios come before the scenarios.
    fn found(&mut self, found: &Diagnostics, sources: &SourceMap) {
        let _ = (found, sources);
    }

    /// Scenarios are finished.
    fn finished(&mut self, part: &SuitePart, models: &mut ModelCache) {
        let _ = (part, models);
    }
}

/// Consecutive scenarios of one file that are finished. Long files come in several parts.
pub struct SuitePart {
    /// The file.
    pub sources: Arc<SourceMap>,
    pub scenarios: Vec<FinishedScenario>,
    /// These are the last of the file.
    pub ends_file: bool,
}

/// A scenario that is finished, or a file that cannot be used.
pub struct FinishedScenario {
    /// Its address, with a path from the project.
    pub address: String,
    pub result: ScenarioResult,
    /// The records of its turns, if the suite keeps them.
    pub records: RecordedTurns,
}
