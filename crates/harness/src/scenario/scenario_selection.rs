//! Selects the scenarios of a run.

use std::collections::BTreeSet;
use std::path::PathBuf;

use super::runner::Runner;
use super::scenario_text::ScenarioText;
use fsmsim_syntax::diagnostic::SourceMap;

/// Selects the scenarios of a run.
pub trait ScenarioSelection: Sync {
    /// Whether a scenario is selected. If the selection must run it to find out, it uses the settings of the runner and
    /// makes no external calls.
    fn wants(&self, scenario: &ScenarioText<'_>, runner: &Runner<'_>, sources: &SourceMap) -> bool;

    /// The models of scenarios that only other shards run. `None` unless all scenarios of this shard are selected.
    fn elsewhere(&self) -> Option<BTreeSet<PathBuf>> {
        None
    }
}

/// Selects all scenarios.
impl ScenarioSelection for () {
    fn wants(&self, _: &ScenarioText<'_>, _: &Runner<'_>, _: &SourceMap) -> bool {
        true
    }
}
