//! What is selected, until somebody has seen enough.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use fsmsim_harness::scenario::{Runner, ScenarioSelection, ScenarioText};
use fsmsim_harness::selection::ScenarioFilter;
use fsmsim_syntax::diagnostic::SourceMap;

/// What a filter selects, until the run is stopped: nothing is wanted from then on.
pub(super) struct StoppableSelection<'s> {
    /// The filter.
    pub(super) filter: &'s ScenarioFilter,
    /// The run is stopped.
    pub(super) stopped: &'s AtomicBool,
}

impl ScenarioSelection for StoppableSelection<'_> {
    fn wants(
        &self,
        scenario: &ScenarioText<'_>,
        file: &Path,
        runner: &Runner<'_>,
        sources: &SourceMap,
    ) -> bool {
        !self.stopped.load(Ordering::Relaxed) && self.filter.wants(scenario, file, runner, sources)
    }
}
