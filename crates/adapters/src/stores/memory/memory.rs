//! The memory of cycles: writes artifacts once per key, and finds them by their words.

use serde_json::Value as Json;

use super::artifact::{Artifact, DOWN, Remembered};
use super::recall_query::RecallQuery;
use crate::stores::{EffectKey, SessionId};
use fsmsim_core::machine::Value;
use fsmsim_syntax::diagnostic::Checked;

/// The memory of the tasks of cycles. Writes become visible to other tasks, and to later turns, when the turn is
/// complete.
pub trait Memory: Send {
    /// Reserves an unused ID for a new dialogue: `wanted`, or the next free one.
    fn begin(&mut self, wanted: &SessionId) -> Checked<SessionId>;

    /// Finds shared artifacts by their words: most matches first, then oldest first. Artifacts of the session itself
    /// follow, oldest first.
    fn recall(&mut self, key: &EffectKey<'_>, query: &RecallQuery) -> Recalled;

    /// Stores an artifact, once per key.
    fn remember(&mut self, key: &EffectKey<'_>, payload: &Value) -> Remembered;

    /// The same memory for another dialogue.
    fn fork(&self) -> Box<dyn Memory>;
}

/// The result of a memory search.
#[derive(Clone, Debug, PartialEq)]
pub enum Recalled {
    Found(Vec<Artifact>),
    /// The memory does not respond.
    Down,
}

impl Recalled {
    /// The answer to the engine.
    pub fn answer(self) -> Value {
        match self {
            Self::Found(artifacts) => {
                let found = Json::Array(artifacts.iter().map(Artifact::found).collect());
                Value::map([
                    ("status", Value::text("done")),
                    ("found", Value::from(found)),
                ])
            }
            Self::Down => Value::map([("status", Value::text(DOWN))]),
        }
    }
}
