//! Trees of JSON in which locations can be found.

use serde_json::Value as Json;

/// JSON in which locations can be found.
pub trait LocatedJson: Clone {
    /// The value of a key, if this is a map that contains it.
    fn member(&self, key: &str) -> Option<&Self>;
    /// The items, if this is a list.
    fn list_items(&self) -> Option<&[Self]>;
    /// The string, if this is one.
    fn as_string(&self) -> Option<&str>;
    /// The keys of a map.
    fn key_names(&self) -> Vec<String>;
    fn equals(&self, value: &Json) -> bool;
    fn of_list(items: Vec<Self>) -> Self;
    /// Parses a string that contains a map or a list.
    fn parse(text: &str) -> Option<Self>;
}

impl LocatedJson for Json {
    fn member(&self, key: &str) -> Option<&Self> {
        self.as_object()?.get(key)
    }

    fn list_items(&self) -> Option<&[Self]> {
        self.as_array().map(Vec::as_slice)
    }

    fn as_string(&self) -> Option<&str> {
        self.as_str()
    }

    fn key_names(&self) -> Vec<String> {
        let keys = self.as_object().into_iter().flat_map(serde_json::Map::keys);
        keys.cloned().collect()
    }

    fn equals(&self, value: &Json) -> bool {
        self == value
    }

    fn of_list(items: Vec<Self>) -> Self {
        Self::Array(items)
    }

    fn parse(text: &str) -> Option<Self> {
        is_json_text(text).then(|| serde_json::from_str(text).ok())?
    }
}

/// Whether a string can be JSON with parts.
pub fn is_json_text(text: &str) -> bool {
    text.trim_start().starts_with(['{', '['])
}
