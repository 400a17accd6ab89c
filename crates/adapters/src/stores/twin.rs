//! The digital twin: the store of the user's data (docs/src/explanation/effects-and-consent.md).

use serde_json::Value as Json;

use super::effect_key::EffectKey;
use fsmsim_core::machine::{Schema, Value};

/// The store of one user's data.
pub trait Twin: Send {
    /// Reads only these keys.
    fn read(&mut self, keys: &[&str]) -> ReadOutcome;

    /// Writes a valid value under the name of its schema, and replaces any earlier value. The write is atomic, and
    /// happens once per key.
    fn write(&mut self, key: &EffectKey<'_>, schema: &Schema, value: &Value) -> WriteOutcome;

    /// The same store for another dialogue, without data that only this dialogue wrote.
    fn fork(&self) -> Box<dyn Twin>;

    /// Data written by the dialogue that would be lost with this process. Null for a persistent store.
    fn memory(&self) -> Json {
        Json::Null
    }

    /// Restores data that the dialogue wrote in an earlier process.
    fn recall(&mut self, _memory: &Json) {}
}

/// The result of a read.
#[derive(Clone, Debug, PartialEq)]
pub enum ReadOutcome {
    /// The requested values that exist.
    Found(Vec<(Box<str>, Value)>),
    /// The stored content is not valid data.
    Invalid,
    /// The store does not respond.
    Down,
}

/// The result of a write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WriteOutcome {
    /// The value is stored.
    Kept,
    /// The store does not respond.
    Down,
}

impl ReadOutcome {
    /// The answer to the engine.
    pub fn answer(self) -> Value {
        let status = |status: &str| ("status", Value::text(status));
        match self {
            Self::Found(pairs) => {
                let data = pairs
                    .into_iter()
                    .map(|(key, value)| (key.as_ref().into(), value))
                    .collect();
                Value::map([status("ok"), ("data", Value::Map(data))])
            }
            Self::Invalid => Value::map([status("invalid")]),
            Self::Down => Value::map([status("down")]),
        }
    }
}

impl WriteOutcome {
    /// The answer to the engine.
    pub fn answer(self) -> Value {
        Value::map([(
            "status",
            Value::text(if self == Self::Kept { "ok" } else { "down" }),
        )])
    }
}
