//! What must never be written anywhere.

use serde_json::Value as Json;

/// What must never be written anywhere: keys and tokens. A server may put them into its answers.
#[derive(Default)]
pub(super) struct Secrets {
    known: Vec<String>,
}

/// What stands in the place of a secret.
const INSTEAD: &str = "[secret]";
/// The shortest text that is taken for a secret, in bytes. Local servers are given keys like `none`, which are none, and
/// to take such words out of answers would only break them.
const SHORTEST: usize = 8;

impl Secrets {
    /// Remembers a secret.
    pub(super) fn add(&mut self, secret: &str) {
        if secret.len() >= SHORTEST && !self.known.iter().any(|known| known == secret) {
            self.known.push(secret.to_owned());
            // Where one holds another, the longer one goes first.
            self.known.sort_by_key(|known| std::cmp::Reverse(known.len()));
        }
    }

    /// A text without them.
    pub(super) fn cleaned(&self, text: &str) -> String {
        self.known.iter().fold(text.to_owned(), |text, secret| text.replace(secret, INSTEAD))
    }

    /// A value without them, in texts and in keys.
    pub(super) fn clean(&self, value: Json) -> Json {
        match value {
            Json::String(text) => Json::String(self.cleaned(&text)),
            Json::Array(items) => Json::Array(items.into_iter().map(|item| self.clean(item)).collect()),
            Json::Object(pairs) => {
                let pairs = pairs.into_iter();
                Json::Object(pairs.map(|(key, value)| (self.cleaned(&key), self.clean(value))).collect())
            }
            Json::Null | Json::Bool(_) | Json::Number(_) => value,
        }
    }
}

/// What they are is never shown.
impl std::fmt::Debug for Secrets {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Secrets").field("known", &self.known.len()).finish()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn secrets_go_from_texts_and_keys_at_any_depth() {
        let mut secrets = Secrets::default();
        for secret in ["planted-one", "planted-one-longer", "none"] {
            secrets.add(secret);
        }
        let value = json!({"planted-one": [{"a": "<planted-one-longer> none"}], "n": 1});
        assert_eq!(secrets.clean(value), json!({"[secret]": [{"a": "<[secret]> none"}], "n": 1}));
        assert_eq!(format!("{secrets:?}"), "Secrets { known: 2 }");
    }
}
