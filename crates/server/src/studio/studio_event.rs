//! What tabs are told without asking.

use serde::Serialize;
use serde_json::Value as Json;

/// What tabs are told without asking, a JSON object a line.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub(super) enum StudioEvent {
    /// The first.
    Hello {
        /// The version of the program.
        version: &'static str,
        /// The number of the dialogue: with another number, all moments are to be forgotten.
        tree: u64,
    },
    /// Somebody is still there.
    Tick,
    /// Some tab moved the dialogue.
    Moved,
    /// A file of the model was saved, and the dialogue is played again on it.
    Edited {
        /// The dialogue, as `view` tells it.
        view: Json,
    },
    /// A file of the model was saved, and the model cannot be used as it is.
    Broken {
        /// The model, as `view` tells it.
        model: Json,
    },
    /// The model can be used again.
    Mended,
    /// How far the run of the scenarios is.
    Suite {
        /// Files that are done.
        done: usize,
        /// Of how many.
        of: usize,
        /// Scenarios by verdict, without those that there are none of.
        counts: Json,
    },
    /// The run of the scenarios is over.
    SuiteDone,
    /// A file of the project was saved, or is gone.
    Files,
    /// The tab was too slow: it has to ask for everything anew.
    Lost,
}

impl StudioEvent {
    pub(super) fn line(&self) -> String {
        let mut line = serde_json::to_string(self).unwrap_or_default();
        line.push('\n');
        line
    }
}
