//! The turn data for a system under test.

use std::collections::BTreeMap;

use serde_json::Value as Json;

/// The turn data for a system under test.
#[derive(Clone, Debug)]
pub struct SubjectTurn<'t> {
    pub number: u32,
    /// The utterance of the user, if any.
    pub say: Option<&'t str>,
    /// The intent, if the turn specifies one.
    pub intent: Option<&'t str>,
    /// The data of the turn by slot. An empty map if there is no data.
    pub data: Json,
}

/// The values of placeholders in a turn.
#[derive(Clone, Debug, Default)]
pub struct TurnValues {
    values: BTreeMap<String, Json>,
}

impl TurnValues {
    pub fn set(&mut self, name: &str, value: Json) {
        self.values.insert(name.to_owned(), value);
    }

    /// The value of a placeholder. Null if it has no value yet.
    pub fn get(&self, name: &str) -> &Json {
        self.values.get(name).unwrap_or(&Json::Null)
    }

    /// The value inside a string: strings unchanged, null as an empty string, other values as JSON.
    pub fn text(&self, name: &str) -> String {
        match self.get(name) {
            Json::Null => String::new(),
            Json::String(text) => text.clone(),
            other => other.to_string(),
        }
    }
}
