//! What of a turn goes to a subject.

use std::collections::BTreeMap;

use serde_json::Value as Json;

/// What of a turn goes to a subject.
#[derive(Clone, Debug)]
pub struct SubjectTurn<'t> {
    pub number: u32,
    /// What the user says; nothing where the turn says nothing.
    pub say: Option<&'t str>,
    /// What is meant, where the turn says so.
    pub intent: Option<&'t str>,
    /// What the turn brings, by slot; an empty map where it brings nothing.
    pub data: Json,
}

/// What placeholders stand for in a turn.
#[derive(Clone, Debug, Default)]
pub struct TurnValues {
    values: BTreeMap<String, Json>,
}

impl TurnValues {
    /// Says what a placeholder stands for.
    pub fn set(&mut self, name: &str, value: Json) {
        self.values.insert(name.to_owned(), value);
    }

    /// What a placeholder stands for; null where nobody knows yet.
    pub fn get(&self, name: &str) -> &Json {
        self.values.get(name).unwrap_or(&Json::Null)
    }

    /// The same within a text: texts as they are, nothing as nothing, the rest as JSON.
    pub fn text(&self, name: &str) -> String {
        match self.get(name) {
            Json::Null => String::new(),
            Json::String(text) => text.clone(),
            other => other.to_string(),
        }
    }
}
