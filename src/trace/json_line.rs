//! Writes JSON piece by piece into a line that is used again from turn to turn.
//!
//! A trace has some sixty keys a turn; written as literals together with their punctuation they cost a quarter of what a
//! general serialiser takes.

use crate::machine::Value;

/// A line of JSON in the making.
#[derive(Debug, Default)]
pub struct JsonLine {
    bytes: Vec<u8>,
}

impl JsonLine {
    /// Begins a new line.
    pub fn clear(&mut self) {
        self.bytes.clear();
    }

    /// The line so far.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The line as text.
    #[must_use]
    pub fn into_string(self) -> String {
        String::from_utf8(self.bytes).unwrap_or_default()
    }

    /// Writes what is JSON already.
    #[inline]
    pub(super) fn raw(&mut self, json: &str) {
        self.bytes.extend_from_slice(json.as_bytes());
    }

    /// Writes a text in quotation marks.
    #[inline]
    pub(super) fn text(&mut self, text: &str) {
        let special = |byte: u8| matches!(byte, 0..0x20 | b'"' | b'\\');
        let plain = text.bytes().fold(true, |plain, byte| plain & !special(byte));
        if plain {
            self.bytes.push(b'"');
            self.bytes.extend_from_slice(text.as_bytes());
            self.bytes.push(b'"');
        } else {
            self.any(text);
        }
    }

    /// Writes a text, or null where there is none.
    pub(super) fn text_or_null(&mut self, text: Option<&str>) {
        match text {
            Some(text) => self.text(text),
            None => self.raw("null"),
        }
    }

    /// Writes a whole number.
    pub(super) fn int(&mut self, number: i64) {
        if let Ok(digit @ 0..=9) = u8::try_from(number) {
            self.bytes.push(b'0' + digit);
        } else {
            self.any(&number);
        }
    }

    /// Writes `true` or `false`.
    pub(super) fn boolean(&mut self, value: bool) {
        self.raw(if value { "true" } else { "false" });
    }

    /// Writes a value.
    pub(super) fn value(&mut self, value: &Value) {
        match value {
            Value::Text(text) => self.text(text),
            Value::Int(number) => self.int(*number),
            value => self.any(value),
        }
    }

    /// Writes a list, its items one after the other by `each`.
    pub(super) fn list<T>(&mut self, items: impl IntoIterator<Item = T>, mut each: impl FnMut(&mut Self, T)) {
        self.raw("[");
        for (number, item) in items.into_iter().enumerate() {
            if number > 0 {
                self.raw(",");
            }
            each(self, item);
        }
        self.raw("]");
    }

    /// Writes a map, its pairs one after the other.
    pub(super) fn map<'a>(&mut self, pairs: impl IntoIterator<Item = (&'a str, &'a Value)>) {
        self.raw("{");
        for (number, (key, value)) in pairs.into_iter().enumerate() {
            if number > 0 {
                self.raw(",");
            }
            self.text(key);
            self.raw(":");
            self.value(value);
        }
        self.raw("}");
    }

    /// Writes anything that can be serialised. Writing to memory cannot fail.
    pub(super) fn any(&mut self, value: &(impl serde::Serialize + ?Sized)) {
        let _ = serde_json::to_writer(&mut self.bytes, value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_json() {
        let texts = ["", "plain", "да", "quote \" and \\ and \n and \u{1}", "\u{7f}\u{2028}😀"];
        for text in texts {
            let mut line = JsonLine::default();
            line.text(text);
            assert_eq!(serde_json::from_slice::<String>(line.as_bytes()).unwrap(), text);
        }
        for number in [0, 9, 10, -1, i64::MIN, i64::MAX] {
            let mut line = JsonLine::default();
            line.int(number);
            assert_eq!(line.into_string(), number.to_string());
        }
    }
}
