//! A dialogue that somebody wrote or recorded is played, and goes on by hand.

use std::sync::Arc;

use crate::scenario::ScenarioTurn;
use fsmsim_adapters::llm::Answerer;
use fsmsim_core::engine::Machine;
use fsmsim_syntax::diagnostic::SourceMap;

/// A dialogue that somebody wrote or recorded, ready to be played on a machine.
pub struct LoadedDialogue {
    pub address: String,
    /// How it starts, as under `start` of a scenario; empty where nothing is said.
    pub start: String,
    /// Its turns, with what is expected of them; those that are wanted.
    pub turns: Vec<ScenarioTurn>,
    /// How many turns it has that are not wanted.
    pub left: usize,
    /// Whom it asks, where it names somebody.
    pub answerer: Option<Box<dyn Answerer>>,
    /// Where it is written.
    pub sources: Arc<SourceMap>,
}

/// Loads a dialogue by its address, `SCENARIO[@TURN]`, for a machine.
pub type DialogueLoader =
    Box<dyn FnMut(&str, &Arc<Machine>) -> Result<LoadedDialogue, String> + Send>;
