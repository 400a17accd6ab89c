//! What remembers: artifacts are written once for each key, and found by their words.

use serde_json::Value as Json;

use super::artifact::{Artifact, DOWN, Remembered};
use super::recall_query::RecallQuery;
use crate::world::{EffectKey, SessionId};
use fsmsim_core::machine::Value;
use fsmsim_syntax::diagnostic::Checked;

/// What remembers for the tasks of cycles. What a turn wrote is there for others, and for later turns, once the turn is whole.
pub trait Memory: Send {
    /// An id for a dialogue that begins, which none in this memory has: the one that is wanted, else the next free one.
    fn begin(&mut self, wanted: &SessionId) -> Checked<SessionId>;

    /// What is known: shared artifacts by their words, those with most of the words first, of equals the older one; behind them
    /// those of the own session, the older ones first.
    fn recall(&mut self, key: &EffectKey<'_>, query: &RecallQuery) -> Recalled;

    /// Remembers an artifact, once for each key.
    fn remember(&mut self, key: &EffectKey<'_>, payload: &Value) -> Remembered;

    /// The same memory for another dialogue.
    fn fork(&self) -> Box<dyn Memory>;
}

/// What memory finds.
#[derive(Clone, Debug, PartialEq)]
pub enum Recalled {
    /// These artifacts.
    Found(Vec<Artifact>),
    /// It does not answer.
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
