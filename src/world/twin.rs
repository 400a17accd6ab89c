//! The digital twin: the store of a user's data (000, section 2.1).

use std::path::Path;

use serde_json::{Map, Value as Json};

use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::document::{DEFINITION_LIMIT, read_bytes};
use crate::machine::Value;

/// The store of one user's data.
pub trait Twin: Send {
    /// Reads these keys, and nothing else.
    fn read(&mut self, keys: &[&str]) -> ReadTwin;

    /// Writes what belongs under a key.
    fn write(&mut self, key: &str, value: &Value) -> WrittenTwin;
}

/// What a store gives.
#[derive(Clone, Debug, PartialEq)]
pub enum ReadTwin {
    /// What it has of what was asked for.
    Found(Vec<(Box<str>, Value)>),
    /// What it has is nothing that could be data.
    Invalid,
    /// It does not answer.
    Down,
}

/// What a store does with what is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WrittenTwin {
    /// It keeps it.
    Kept,
    /// It does not answer.
    Down,
}

impl ReadTwin {
    /// The answer to the engine.
    #[must_use]
    pub fn answer(self) -> Value {
        let status = |status: &str| ("status", Value::text(status));
        match self {
            Self::Found(pairs) => {
                let data = pairs.into_iter().map(|(key, value)| (key.as_ref().into(), value)).collect();
                Value::map([status("ok"), ("data", Value::Map(data))])
            }
            Self::Invalid => Value::map([status("invalid")]),
            Self::Down => Value::map([status("down")]),
        }
    }
}

impl WrittenTwin {
    /// The answer to the engine.
    #[must_use]
    pub fn answer(self) -> Value {
        Value::map([("status", Value::text(if self == Self::Kept { "ok" } else { "down" }))])
    }
}

/// A store that never answers.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoTwin;

impl Twin for NoTwin {
    fn read(&mut self, _: &[&str]) -> ReadTwin {
        ReadTwin::Down
    }

    fn write(&mut self, _: &str, _: &Value) -> WrittenTwin {
        WrittenTwin::Down
    }
}

/// A store in memory, filled from a JSON file that it never changes: what a test writes is gone after it.
#[derive(Clone, Debug, Default)]
pub struct MemoryTwin {
    /// The data; nothing where the file holds no object.
    data: Option<Map<String, Json>>,
}

impl MemoryTwin {
    /// Reads a file. `None`, with a finding, where it cannot be read or is no JSON; JSON that is no object is a store whose
    /// data cannot be used.
    pub fn load(path: &Path, found: &mut Diagnostics) -> Option<Self> {
        let bytes = match read_bytes(path, DEFINITION_LIMIT) {
            Ok(bytes) => bytes,
            Err(finding) => {
                found.push(*finding);
                return None;
            }
        };
        match serde_json::from_slice(&bytes) {
            Ok(Json::Object(data)) => Some(Self { data: Some(data) }),
            Ok(_) => Some(Self { data: None }),
            Err(error) => {
                let place = format!("{}:{}:{}", path.display(), error.line(), error.column());
                let reason = error.to_string();
                let reason = reason.split(" at line ").next().unwrap_or_default().to_owned();
                found.push(
                    Diagnostic::error(Code::BadTwin, format!("the twin is no JSON: {reason}"))
                        .about(place)
                        .help("a twin is a JSON object: a key for each kind of data"),
                );
                None
            }
        }
    }
}

impl Twin for MemoryTwin {
    fn read(&mut self, keys: &[&str]) -> ReadTwin {
        let Some(data) = &self.data else { return ReadTwin::Invalid };
        let found = keys.iter().filter_map(|key| Some(((*key).into(), Value::from(data.get(*key)?.clone()))));
        ReadTwin::Found(found.collect())
    }

    fn write(&mut self, key: &str, value: &Value) -> WrittenTwin {
        let value = serde_json::to_value(value).unwrap_or_default();
        self.data.get_or_insert_default().insert(key.to_owned(), value);
        WrittenTwin::Kept
    }
}
