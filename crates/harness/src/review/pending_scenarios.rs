//! Selects the scenarios to review.

use crate::scenario::{Runner, ScenarioSelection, ScenarioText};
use crate::selection::RunHistory;
use crate::snapshot::SnapshotChecker;
use fsmsim_syntax::diagnostic::SourceMap;

/// Selects the scenarios with pending snapshots, and those that failed in their last run.
#[derive(Debug)]
pub struct PendingScenarios<'s> {
    pub snapshots: &'s SnapshotChecker,
    /// The last results, if failed expectations are reviewed, too.
    pub history: Option<RunHistory>,
}

impl ScenarioSelection for PendingScenarios<'_> {
    fn wants(&self, scenario: &ScenarioText<'_>, runner: &Runner<'_>, _: &SourceMap) -> bool {
        let has_failed = |history: &RunHistory| {
            let layout = runner.project.artifacts_in(&runner.project.snapshots);
            let id = scenario.address(&layout.from_root(scenario.file));
            history.is_pending(&id)
        };
        self.snapshots.is_pending(scenario.file, &scenario.name())
            || self.history.as_ref().is_some_and(has_failed)
    }
}
