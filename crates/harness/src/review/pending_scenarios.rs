//! The scenarios whose snapshots wait for a decision.

use crate::scenario::{Runner, ScenarioSelection, ScenarioText};
use crate::snapshot::SnapshotChecker;
use fsmsim_syntax::diagnostic::SourceMap;

/// The scenarios whose snapshots wait for a decision.
#[derive(Debug)]
pub struct PendingScenarios<'s> {
    /// Where snapshots stand.
    pub snapshots: &'s SnapshotChecker,
}

impl ScenarioSelection for PendingScenarios<'_> {
    fn wants(&self, scenario: &ScenarioText<'_>, _: &Runner<'_>, _: &SourceMap) -> bool {
        self.snapshots.is_pending(scenario.file, &scenario.name())
    }
}
