//! Selects the scenarios with pending snapshots.

use crate::scenario::{Runner, ScenarioSelection, ScenarioText};
use crate::snapshot::SnapshotChecker;
use fsmsim_syntax::diagnostic::SourceMap;

/// Selects the scenarios with pending snapshots.
#[derive(Debug)]
pub struct PendingScenarios<'s> {
    pub snapshots: &'s SnapshotChecker,
}

impl ScenarioSelection for PendingScenarios<'_> {
    fn wants(&self, scenario: &ScenarioText<'_>, _: &Runner<'_>, _: &SourceMap) -> bool {
        self.snapshots.is_pending(scenario.file, &scenario.name())
    }
}
