//! A written or recorded dialogue that was loaded to be continued interactively.

use std::sync::Arc;

use crate::scenario::ScenarioTurn;
use fsmsim_adapters::llm::Answerer;
use fsmsim_core::engine::Machine;
use fsmsim_syntax::diagnostic::SourceMap;

/// A written or recorded dialogue, ready to run on a machine.
pub struct LoadedDialogue {
    pub address: String,
    /// The start, as under `start` in a scenario; empty by default.
    pub start: String,
    /// The selected turns, with their expectations.
    pub turns: Vec<ScenarioTurn>,
    /// The number of turns that follow the selected ones.
    pub left: usize,
    /// The answerer, if the dialogue names one.
    pub answerer: Option<Box<dyn Answerer>>,
    /// The source texts of the dialogue.
    pub sources: Arc<SourceMap>,
}

/// Loads a dialogue for a machine by its ID, `SCENARIO[@TURN]`.
pub type DialogueLoader =
    Box<dyn FnMut(&str, &Arc<Machine>) -> Result<LoadedDialogue, String> + Send>;
