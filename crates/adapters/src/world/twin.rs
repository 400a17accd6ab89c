//! The digital twin: the store of a user's data (docs/markdown.md, "Data and consent").

use serde_json::Value as Json;

use super::effect_key::EffectKey;
use fsmsim_core::machine::{Schema, Value};

/// The store of one user's data.
pub trait Twin: Send {
    /// Reads these keys, and nothing else.
    fn read(&mut self, keys: &[&str]) -> ReadOutcome;

    /// Writes what fits a schema under the name of the schema, in place of what was there: all of it or nothing, and once
    /// for each key.
    fn write(&mut self, key: &EffectKey<'_>, schema: &Schema, value: &Value) -> WriteOutcome;

    /// The same store for another dialogue. What only this one wrote for itself is not in it.
    fn fork(&self) -> Box<dyn Twin>;

    /// What the dialogue wrote that is gone with this process; null for a store that lasts.
    fn memory(&self) -> Json {
        Json::Null
    }

    /// Takes on what the dialogue wrote in a process before this one.
    fn recall(&mut self, _memory: &Json) {}
}

/// What a store gives.
#[derive(Clone, Debug, PartialEq)]
pub enum ReadOutcome {
    /// What it has of what was asked for.
    Found(Vec<(Box<str>, Value)>),
    /// What it has is nothing that could be data.
    Invalid,
    /// It does not answer.
    Down,
}

/// What a store does with what is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WriteOutcome {
    /// It keeps it.
    Kept,
    /// It does not answer.
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
