//! Texts that output must not contain: secrets, and names that differ from run to run.

use std::collections::BTreeSet;

use serde_json::Value as Json;

use super::printable::is_printable;

/// The replacement for a secret.
const SECRET: &str = "[secret]";
/// The minimum length of a secret, in bytes. Keys of local servers are often words such as `none`, and hiding them
/// would garble the output.
const SHORTEST_SECRET: usize = 8;
/// The maximum number of characters in the shortest hidden part of a secret. Servers quote parts of keys, and all keys
/// of a server can have the same first characters.
const LONGEST_PART: usize = 12;
/// The minimum length of a name to replace, in bytes. Shorter ones are usually ordinary words and numbers.
const SHORTEST_NAME: usize = 6;

/// Texts that output must not contain, with their replacements: keys, tokens, and names that differ from run to run.
#[derive(Default)]
pub struct TextRedactions {
    known: Vec<MaskedText>,
}

struct MaskedText {
    text: String,
    instead: &'static str,
    /// Whether every occurrence is replaced. A name is replaced only if it is a separate word.
    is_secret: bool,
}

impl TextRedactions {
    /// Hides a secret from now on.
    pub fn hide(&mut self, secret: &str) {
        self.add(secret, SECRET, true);
    }

    /// Replaces a name from now on, if it is a separate word.
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
            // A longer text can contain a shorter one, so it is replaced first.
            self.known
                .sort_by_key(|known| std::cmp::Reverse(known.text.len()));
        }
    }

    /// The text with all replacements.
    pub fn cleaned(&self, text: &str) -> String {
        self.known
            .iter()
            .fold(text.to_owned(), |text, known| known.taken_out(text))
    }

    pub fn without_secrets(&self, text: &str) -> String {
        self.known
            .iter()
            .filter(|known| known.is_secret)
            .fold(text.to_owned(), |text, known| known.taken_out(text))
    }

    /// The value with all replacements in strings and keys.
    pub fn clean(&self, value: Json) -> Json {
        each_text(value, &|text| self.cleaned(text))
    }
}

impl MaskedText {
    fn taken_out(&self, text: String) -> String {
        if self.is_secret {
            return self.without_parts(&text);
        }
        let mut cleaned = String::new();
        let mut copied = 0;
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
            cleaned.push_str(text.get(copied..at).unwrap_or_default());
            cleaned.push_str(self.instead);
            copied = end;
        }
        if copied == 0 {
            return text;
        }
        cleaned.push_str(text.get(copied..).unwrap_or_default());
        cleaned
    }

    /// Replaces the secret and its longer parts, even with invisible characters in them.
    fn without_parts(&self, text: &str) -> String {
        let secret: Vec<char> = self.text.chars().filter(|c| is_printable(*c)).collect();
        let part = (secret.len() / 2)
            .clamp(SHORTEST_SECRET, LONGEST_PART)
            .min(secret.len())
            .max(1);
        let parts: BTreeSet<&[char]> = secret.windows(part).collect();
        let visible = text.char_indices().filter(|(_, c)| is_printable(*c));
        let (places, shown): (Vec<usize>, Vec<char>) = visible.unzip();
        let mut cleaned = String::new();
        let mut copied = 0;
        for (window, places) in shown
            .windows(part)
            .zip(places.windows(part))
            .filter(|(window, _)| parts.contains(window))
        {
            let ([start, ..], [.., last], [.., end]) = (places, places, window) else {
                continue;
            };
            // Overlapping parts are one part.
            if *start >= copied {
                cleaned.push_str(text.get(copied..*start).unwrap_or_default());
                cleaned.push_str(self.instead);
            }
            copied = last + end.len_utf8();
        }
        cleaned.push_str(text.get(copied..).unwrap_or_default());
        cleaned
    }
}

/// The value with its strings and keys changed.
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

/// Debug output never shows the texts.
impl std::fmt::Debug for TextRedactions {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("TextRedactions")
            .field("known", &self.known.len())
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn masked_texts_are_replaced_in_strings_and_keys_at_any_depth() {
        let mut mask = TextRedactions::default();
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
    fn part_of_a_secret_is_hidden_even_with_invisible_characters() {
        let mut mask = TextRedactions::default();
        mask.hide("sk-planted-0123456789abcd");
        let texts = [
            "key sk-planted-0123456789abcd.",
            "key sk-planted-0123456.",
            "key ted-0123456789.",
            "key sk-planted\u{200b}-0123456789\u{ad}abcd.",
        ];
        for text in texts {
            assert_eq!(mask.cleaned(text), "key [secret].", "{text}");
        }
        assert_eq!(
            mask.cleaned("sk-planted, 0123456789"),
            "sk-planted, 0123456789"
        );
    }

    #[test]
    fn a_name_is_replaced_only_if_it_is_a_separate_word() {
        let mut mask = TextRedactions::default();
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
