//! The steps of locations in JSON.

use serde_json::Value as Json;

/// A step from a value to a part of it.
#[derive(Clone, Debug, PartialEq)]
pub enum LocationStep {
    /// The key of a map, or the index in a list. A negative index counts from the end.
    Key(Box<str>),
    /// Every item of a list.
    Each,
    /// The items of a list with this value at the keys; without a value, those that have the keys.
    Where(Box<[Box<str>]>, Option<Json>),
}

impl LocationStep {
    /// The step as written after a dot or in brackets.
    pub fn name(&self) -> String {
        match self {
            Self::Key(key) => key.to_string(),
            Self::Each => "*".to_owned(),
            Self::Where(keys, _) => format!("?@.{}", keys.join(".")),
        }
    }
}
