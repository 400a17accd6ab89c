//! What must stand in no output: secrets, and what is another one in each run.

use serde_json::Value as Json;

/// The shortest text that is taken out, in bytes: to take shorter ones out of answers would only break them.
const SHORTEST: usize = 6;

/// What must stand in no output, each with what stands in its place: secrets, and the name of the dialogue, which is another
/// one in each run.
#[derive(Default)]
pub struct SubjectRedactions {
    known: Vec<(String, &'static str)>,
}

impl SubjectRedactions {
    /// Takes a text out from now on.
    pub fn add(&mut self, text: &str, instead: &'static str) {
        if text.len() >= SHORTEST && !self.known.iter().any(|(known, _)| known == text) {
            self.known.push((text.to_owned(), instead));
            // Where one holds another, the longer one goes first.
            self.known.sort_by_key(|(known, _)| std::cmp::Reverse(known.len()));
        }
    }

    /// A text without them.
    pub fn cleaned(&self, text: &str) -> String {
        self.known.iter().fold(text.to_owned(), |text, (known, instead)| text.replace(known, instead))
    }

    /// A value without them, in texts and in keys.
    pub fn clean(&self, value: Json) -> Json {
        match value {
            Json::String(text) => Json::String(self.cleaned(&text)),
            Json::Array(items) => Json::Array(items.into_iter().map(|item| self.clean(item)).collect()),
            Json::Object(pairs) => {
                Json::Object(pairs.into_iter().map(|(key, value)| (self.cleaned(&key), self.clean(value))).collect())
            }
            Json::Null | Json::Bool(_) | Json::Number(_) => value,
        }
    }
}

/// What they are is never shown.
impl std::fmt::Debug for SubjectRedactions {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("SubjectRedactions").field("known", &self.known.len()).finish()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_known_goes_from_texts_and_keys_at_any_depth() {
        let mut redactions = SubjectRedactions::default();
        redactions.add("planted-one", "[secret]");
        redactions.add("planted-one-longer", "{{session}}");
        redactions.add("none", "[secret]");
        let value = json!({"planted-one": [{"a": "<planted-one-longer> none"}], "n": 1});
        assert_eq!(redactions.clean(value), json!({"[secret]": [{"a": "<{{session}}> none"}], "n": 1}));
        assert!(!format!("{redactions:?}").contains("planted"));
    }
}
