//! What must stand in no output: secrets, and names that are others in each run.

use serde_json::Value as Json;

/// What stands in the place of a secret.
const SECRET: &str = "[secret]";
/// The shortest text that is taken for a secret, in bytes. Local servers are given keys like `none`, which are none, and
/// to take such words out would only break what is said.
const SHORTEST_SECRET: usize = 8;
/// The shortest name that is taken out, in bytes: shorter ones are words and numbers of all kinds.
const SHORTEST_NAME: usize = 6;

/// What must stand in no output, each with what stands in its place: keys and tokens, and names that are others in each run.
#[derive(Default)]
pub struct TextMask {
    known: Vec<MaskedText>,
}

/// What must stand in no output.
struct MaskedText {
    text: String,
    instead: &'static str,
    /// It is taken out wherever it stands; a name only where it is a word by itself.
    is_secret: bool,
}

impl TextMask {
    /// Takes a secret out from now on.
    pub fn hide(&mut self, secret: &str) {
        self.add(secret, SECRET, true);
    }

    /// Lets a name stand for another one from now on, wherever it is a word by itself.
    pub fn rename(&mut self, name: &str, instead: &'static str) {
        self.add(name, instead, false);
    }

    fn add(&mut self, text: &str, instead: &'static str, is_secret: bool) {
        let shortest = if is_secret {
            SHORTEST_SECRET
        } else {
            SHORTEST_NAME
        };
        if text.len() >= shortest && !self.known.iter().any(|known| known.text == text) {
            self.known.push(MaskedText {
                text: text.to_owned(),
                instead,
                is_secret,
            });
            // Where one holds another, the longer one goes first.
            self.known
                .sort_by_key(|known| std::cmp::Reverse(known.text.len()));
        }
    }

    /// A text without them.
    pub fn cleaned(&self, text: &str) -> String {
        self.known
            .iter()
            .fold(text.to_owned(), |text, known| known.taken_out(text))
    }

    pub fn without_secrets(&self, text: &str) -> String {
        let secrets = self.known.iter().filter(|known| known.is_secret);
        secrets.fold(text.to_owned(), |text, known| known.taken_out(text))
    }

    /// A value without them, in texts and in keys.
    pub fn clean(&self, value: Json) -> Json {
        each_text(value, &|text| self.cleaned(text))
    }
}

impl MaskedText {
    fn taken_out(&self, text: String) -> String {
        if self.is_secret {
            return text.replace(&self.text, self.instead);
        }
        let mut cleaned = String::new();
        let mut behind = 0;
        for (at, known) in text.match_indices(&self.text) {
            let end = at + known.len();
            let before = text.get(..at).and_then(|before| before.chars().next_back());
            let after = text.get(end..).and_then(|after| after.chars().next());
            if [before, after]
                .into_iter()
                .flatten()
                .any(char::is_alphanumeric)
            {
                continue;
            }
            cleaned.push_str(text.get(behind..at).unwrap_or_default());
            cleaned.push_str(self.instead);
            behind = end;
        }
        if behind == 0 {
            return text;
        }
        cleaned.push_str(text.get(behind..).unwrap_or_default());
        cleaned
    }
}

/// A value with its texts and keys changed.
fn each_text(value: Json, change: &impl Fn(&str) -> String) -> Json {
    match value {
        Json::String(text) => Json::String(change(&text)),
        Json::Array(items) => Json::Array(
            items
                .into_iter()
                .map(|item| each_text(item, change))
                .collect(),
        ),
        Json::Object(pairs) => Json::Object(
            pairs
                .into_iter()
                .map(|(key, value)| (change(&key), each_text(value, change)))
                .collect(),
        ),
        Json::Null | Json::Bool(_) | Json::Number(_) => value,
    }
}

/// What they are is never shown.
impl std::fmt::Debug for TextMask {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("TextMask")
            .field("known", &self.known.len())
            .finish()
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
        assert_eq!(
            mask.clean(value),
            json!({"[secret]": [{"a": "<[secret]> none {{session}}"}], "n": 1})
        );
        assert!(!format!("{mask:?}").contains("planted"));
    }

    #[test]
    fn a_name_is_taken_out_only_where_it_is_a_word_by_itself() {
        let mut mask = TextMask::default();
        mask.rename("choosing", "{{session}}");
        mask.hide("planted-one");
        assert_eq!(
            mask.cleaned("choosing, xchoosing <choosing> choosings"),
            "{{session}}, xchoosing <{{session}}> choosings"
        );
        assert_eq!(
            mask.without_secrets("choosing planted-one"),
            "choosing [secret]"
        );
    }
}
