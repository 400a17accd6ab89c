//! What must stand in no output: secrets, and names that are others in each run.

use serde_json::Value as Json;

/// What stands in the place of a secret.
const SECRET: &str = "[secret]";
/// The shortest text that is taken for a secret, in bytes. Local servers are given keys like `none`, which are none, and
/// to take such words out would only break what is said.
const SHORTEST_SECRET: usize = 8;
/// The shortest name that is taken out, in bytes.
const SHORTEST_NAME: usize = 6;

/// What must stand in no output, each with what stands in its place: keys and tokens, and names that are others in each run.
#[derive(Default)]
pub struct TextMask {
    known: Vec<(String, &'static str)>,
}

impl TextMask {
    /// Takes a secret out from now on.
    pub fn hide(&mut self, secret: &str) {
        self.add(secret, SECRET, SHORTEST_SECRET);
    }

    /// Lets a name stand for another one from now on.
    pub fn rename(&mut self, name: &str, instead: &'static str) {
        self.add(name, instead, SHORTEST_NAME);
    }

    fn add(&mut self, text: &str, instead: &'static str, shortest: usize) {
        if text.len() >= shortest && !self.known.iter().any(|(known, _)| known == text) {
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
impl std::fmt::Debug for TextMask {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("TextMask").field("known", &self.known.len()).finish()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_known_goes_from_texts_and_keys_at_any_depth() {
        let mut mask = TextMask::default();
        for secret in ["planted-one", "planted-one-longer", "none"] {
            mask.hide(secret);
        }
        mask.rename("d-4711", "{{session}}");
        let value = json!({"planted-one": [{"a": "<planted-one-longer> none d-4711"}], "n": 1});
        assert_eq!(mask.clean(value), json!({"[secret]": [{"a": "<[secret]> none {{session}}"}], "n": 1}));
        assert!(!format!("{mask:?}").contains("planted"));
    }
}
