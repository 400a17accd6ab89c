//! A written or recorded dialogue, loaded to be continued interactively.

use std::sync::Arc;

use crate::scenario::ScenarioTurn;
use fsmsim_adapters::llm::Answerer;
use fsmsim_core::engine::Machine;
use fsmsim_syntax::diagnostic::SourceMap;

/// A written or recorded dialogue, ready to run on a machine.
pub struct LoadedDialogue {
    pub address: String,
    /// Its start, as under `start` of a scenario; empty by default.
    pub start: String,
    /// The selected turns, with their expectations.
    pub turns: Vec<ScenarioTurn>,
    /// The number of turns after the selected ones.
    pub left: usize,
    /// Its answerer, if it names one.
    pub answerer: Option<Box<dyn Answerer>>,
    /// The sources of its definition.
    pub sources: Arc<SourceMap>,
}

/// Loads a dialogue by its ID, `SCENARIO[@TURN]`, for a machine.
pub type DialogueLoader =
    Box<dyn FnMut(&str, &Arc<Machine>) -> Result<LoadedDialogue, String> + Send>;
