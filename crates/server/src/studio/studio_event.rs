//! Events that the server sends to tabs.

use serde::Serialize;
use serde_json::Value as Json;

/// An event for tabs, sent as JSON Lines.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub(super) enum StudioEvent {
    /// The first event.
    Hello {
        /// The version of the program.
        version: &'static str,
        /// The version number of the turn tree. If it changes, the page must discard all moments.
        tree: u64,
    },
    /// The keep-alive event.
    Tick,
    /// A tab changed the dialogue.
    Moved,
    /// A model file was saved, and the dialogue was replayed.
    Edited {
        /// The dialogue, as in `view`.
        view: Json,
    },
    /// A model file was saved, and the model is invalid.
    Broken {
        /// The model, as in `view`.
        model: Json,
    },
    /// The model is valid again.
    Fixed,
    /// The progress of a scenario run.
    Suite {
        /// The number of finished files.
        done: usize,
        /// The number of all files.
        of: usize,
        /// The number of scenarios by verdict, without zeros.
        counts: Json,
    },
    /// The scenario run has ended.
    SuiteDone,
    /// A project file was saved or deleted.
    Files,
    /// The tab was too slow: it must reload everything.
    Lost,
}

impl StudioEvent {
    pub(super) fn line(&self) -> String {
        let mut line = serde_json::to_string(self).unwrap_or_default();
        line.push('\n');
        line
    }
}
