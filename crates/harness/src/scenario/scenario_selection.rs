//! Which scenarios of a run are wanted.

use std::collections::BTreeSet;
use std::path::PathBuf;

use super::runner::Runner;
use super::scenario_text::ScenarioText;
use fsmsim_syntax::diagnostic::SourceMap;

/// Says which scenarios of a run are wanted.
pub trait ScenarioSelection: Sync {
    /// Whether a scenario of this file is wanted. Where that can only be told by playing it, it is played with what the
    /// runner has, and nobody outside is asked.
    fn wants(&self, scenario: &ScenarioText<'_>, runner: &Runner<'_>, sources: &SourceMap) -> bool;

    /// The models of scenarios that only other shards run, if all scenarios of this shard are selected; `None` otherwise.
    fn elsewhere(&self) -> Option<BTreeSet<PathBuf>> {
        None
    }
}

/// All are wanted.
impl ScenarioSelection for () {
    fn wants(&self, _: &ScenarioText<'_>, _: &Runner<'_>, _: &SourceMap) -> bool {
        true
    }
}
