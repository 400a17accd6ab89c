//! Observers of a run of scenarios.

use std::path::Path;
use std::sync::Arc;

use crate::scenario::{RecordedTurns, ScenarioResult};
use fsmsim_runtime::project::ModelCache;
use fsmsim_syntax::diagnostic::{Diagnostics, SourceMap};

/// Observes a run of scenarios, for example to write a report, print progress or collect findings. It is called on the
/// thread that runs the suite, in the order of the files and their scenarios. The order does not depend on the number
/// of threads.
pub trait SuiteObserver {
    /// Receives findings about scenarios or about files that they name. Findings about a scenario come before its
    /// result.
    fn found(&mut self, _found: &Diagnostics, _sources: &SourceMap) {}

    /// Receives findings about a model, before the results of its scenarios.
    fn found_in_model(&mut self, _model: &Path, found: &Diagnostics, sources: &SourceMap) {
        self.found(found, sources);
    }

    /// Receives scenarios that have finished.
    fn finished(&mut self, _part: &SuitePart, _models: &mut ModelCache) {}
}

/// Finished scenarios that are consecutive in a file. A long file has several parts.
pub struct SuitePart {
    pub sources: Arc<SourceMap>,
    pub scenarios: Vec<FinishedScenario>,
    /// Whether these are the last scenarios of the file.
    pub ends_file: bool,
}

/// A finished scenario, or an invalid file.
pub struct FinishedScenario {
    /// The ID, with a path relative to the project.
    pub address: String,
    pub result: ScenarioResult,
    /// The records of the turns, if the suite keeps them.
    pub records: RecordedTurns,
}
