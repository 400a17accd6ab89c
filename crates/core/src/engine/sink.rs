//! What a record is written into: a line of JSON, or a value.

use crate::machine::{List, Value};

/// The key of a field: its name, and the name as it stands in JSON behind a comma.
#[derive(Clone, Copy)]
pub struct JsonKey {
    pub name: &'static str,
    /// What stands in JSON before the value.
    pub json: &'static str,
}

/// A [`JsonKey`], put into JSON when the program is compiled; with a sink, it begins a pair of a map in it.
macro_rules! key {
    ($out:ident, $name:literal) => {
        $out.key(key!($name))
    };
    ($name:expr) => {
        $crate::engine::JsonKey {
            name: $name,
            json: concat!(",\"", $name, "\":"),
        }
    };
}
pub(crate) use key;

/// What a record is written into, piece by piece. Each part of a record is written by one function, whatever the sink.
pub trait Sink: Sized {
    /// Writes a text that is given in two parts.
    fn joined(&mut self, start: &str, end: &str);

    /// Writes a value.
    fn value(&mut self, value: &Value);

    /// Writes a map: `inside` writes its pairs.
    fn object(&mut self, inside: impl FnOnce(&mut Self));

    /// Begins a pair of a map; its value comes next.
    fn key(&mut self, key: JsonKey) -> &mut Self;

    /// Begins a pair whose key is data.
    fn name(&mut self, name: &str) -> &mut Self;

    /// Writes a list: `inside` writes its items.
    fn list(&mut self, inside: impl FnOnce(&mut Self));

    /// Begins an item of a list; its value comes next.
    fn item(&mut self) -> &mut Self;

    /// Writes a text.
    fn text(&mut self, text: &str) {
        self.joined(text, "");
    }

    /// Writes a word of our own, in which nothing needs to be escaped.
    fn word(&mut self, word: &'static str) {
        self.text(word);
    }

    /// Writes the place of a line in a file, as `path:line`.
    fn place(&mut self, path: &str, line: u32) {
        self.text(&format!("{path}:{line}"));
    }

    /// Writes a whole number.
    fn int(&mut self, number: impl Into<i64>) {
        self.value(&Value::Int(number.into()));
    }

    /// Writes `true` or `false`.
    fn boolean(&mut self, value: bool) {
        self.value(&Value::Bool(value));
    }

    /// Writes a text, or null where there is none.
    fn text_or_null(&mut self, text: Option<&str>) {
        match text {
            Some(text) => self.text(text),
            None => self.value(&Value::Null),
        }
    }

    /// Writes a value, or null where there is none.
    fn value_or_null(&mut self, value: Option<&Value>) {
        self.value(value.unwrap_or(&Value::Null));
    }

    /// Writes a pair, where there is a value: `write` writes it.
    fn optional<T>(&mut self, key: JsonKey, value: Option<T>, write: impl FnOnce(T, &mut Self)) {
        if let Some(value) = value {
            write(value, self.key(key));
        }
    }

    /// A text under a key, where there is one.
    fn optional_text(&mut self, key: JsonKey, text: Option<&str>) {
        self.optional(key, text, |text, out| out.text(text));
    }

    /// Writes a list: `write` writes each item.
    fn each<T>(&mut self, items: impl IntoIterator<Item = T>, mut write: impl FnMut(T, &mut Self)) {
        self.list(|out| items.into_iter().for_each(|item| write(item, out.item())));
    }

    /// Writes a list in which things are collected; those from `since` on were appended by the turn. A line of a trace
    /// tells no more than that, so that it is not the longer the longer the dialogue is.
    fn collected(&mut self, list: &List, since: usize) {
        let _ = since;
        self.value(&Value::List(list.clone()));
    }

    /// Writes a list of texts.
    fn texts<'a>(&mut self, texts: impl IntoIterator<Item = &'a str>) {
        self.each(texts, |text, out| out.text(text));
    }

    /// Writes a map of values.
    fn map<'a>(&mut self, pairs: impl IntoIterator<Item = (&'a str, &'a Value)>) {
        self.object(|out| {
            pairs
                .into_iter()
                .for_each(|(name, value)| out.name(name).value(value));
        });
    }
}
