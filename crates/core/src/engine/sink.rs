//! The output of a record: a JSON line or a value.

use crate::machine::{List, Value};

/// The key of a field: its name, and the JSON text for it.
#[derive(Clone, Copy)]
pub struct JsonKey {
    pub name: &'static str,
    /// The JSON text before the value, including the comma.
    pub json: &'static str,
}

/// A [`JsonKey`] whose JSON text is built at compile time; with a sink, the macro also starts a pair of a map in the
/// sink.
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

/// Writes pairs of a map to a sink: each pair is a key and the method of [`Sink`] that writes its value.
macro_rules! pairs {
    ($out:ident, $($name:ident = $write:ident($($value:expr),*)),+ $(,)?) => {{
        $($out
            .key($crate::engine::JsonKey {
                name: stringify!($name),
                json: concat!(",\"", stringify!($name), "\":"),
            })
            .$write($($value),*);)+
    }};
}
pub(crate) use pairs;

/// The output of a record, written piece by piece. One function writes each part of a record for all sinks.
pub trait Sink: Sized {
    /// Writes a string that is given in two parts.
    fn joined(&mut self, start: &str, end: &str);

    /// Writes a value.
    fn value(&mut self, value: &Value);

    /// Writes a map: `inside` writes its pairs.
    fn object(&mut self, inside: impl FnOnce(&mut Self));

    /// Starts a pair of a map; its value must follow.
    fn key(&mut self, key: JsonKey) -> &mut Self;

    /// Starts a pair whose key is data.
    fn name(&mut self, name: &str) -> &mut Self;

    /// Writes a list: `inside` writes its items.
    fn list(&mut self, inside: impl FnOnce(&mut Self));

    /// Starts an item of a list; its value must follow.
    fn item(&mut self) -> &mut Self;

    /// Writes a string.
    fn text(&mut self, text: &str) {
        self.joined(text, "");
    }

    /// Writes a constant that needs no escapes.
    fn word(&mut self, word: &'static str) {
        self.text(word);
    }

    /// Writes a location as `path:line`.
    fn place(&mut self, path: &str, line: u32) {
        self.text(&format!("{path}:{line}"));
    }

    /// Writes an integer.
    fn int(&mut self, number: impl Into<i64>) {
        self.value(&Value::Int(number.into()));
    }

    /// Writes `true` or `false`.
    fn boolean(&mut self, value: bool) {
        self.value(&Value::Bool(value));
    }

    /// Writes a string, or null.
    fn text_or_null(&mut self, text: Option<&str>) {
        match text {
            Some(text) => self.text(text),
            None => self.value(&Value::Null),
        }
    }

    /// Writes a value, or null.
    fn value_or_null(&mut self, value: Option<&Value>) {
        self.value(value.unwrap_or(&Value::Null));
    }

    /// Writes a pair, if there is a value: `write` writes the value.
    fn optional<T>(&mut self, key: JsonKey, value: Option<T>, write: impl FnOnce(T, &mut Self)) {
        if let Some(value) = value {
            write(value, self.key(key));
        }
    }

    /// Writes a pair with a string, if there is one.
    fn optional_text(&mut self, key: JsonKey, text: Option<&str>) {
        self.optional(key, text, |text, out| out.text(text));
    }

    /// Writes a list: `write` writes each item.
    fn each<T>(&mut self, items: impl IntoIterator<Item = T>, mut write: impl FnMut(T, &mut Self)) {
        self.list(|out| items.into_iter().for_each(|item| write(item, out.item())));
    }

    /// Writes a list of collected items; the turn appended the items from `since` on. A line of a trace contains only
    /// the appended items, so that lines do not grow with the dialogue.
    fn collected(&mut self, list: &List, since: usize) {
        let _ = since;
        self.value(&Value::List(list.clone()));
    }

    /// Writes a list of strings.
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
