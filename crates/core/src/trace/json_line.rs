//! Writes JSON piece by piece into a line that is reused from turn to turn.
//!
//! A turn has about sixty keys in a trace. Writing them as literals with their punctuation takes a quarter of the time
//! that a general serializer needs.

use crate::engine::{JsonKey, Sink, pairs};
use crate::machine::{List, Value};

/// A JSON line under construction.
#[derive(Debug, Default)]
pub struct JsonLine {
    bytes: Vec<u8>,
}

impl JsonLine {
    /// Clears the line for reuse.
    pub fn clear(&mut self) {
        self.bytes.clear();
    }

    /// The line so far.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The line as text.
    pub fn into_string(self) -> String {
        String::from_utf8(self.bytes).unwrap_or_default()
    }

    #[inline]
    fn raw(&mut self, json: &str) {
        self.bytes.extend_from_slice(json.as_bytes());
    }

    /// Writes anything that can be serialized. Writing to memory cannot fail.
    fn any(&mut self, value: &(impl serde::Serialize + ?Sized)) {
        let _ = serde_json::to_writer(&mut self.bytes, value);
    }

    /// Writes items between brackets, each with a comma before it. The first comma is replaced by the opening
    /// bracket.
    #[inline]
    fn between(&mut self, open: u8, close: u8, inside: impl FnOnce(&mut Self)) {
        let start = self.bytes.len();
        inside(self);
        match self.bytes.get_mut(start) {
            Some(comma) => *comma = open,
            None => self.bytes.push(open),
        }
        self.bytes.push(close);
    }
}

/// Whether a string needs no escapes in JSON.
#[inline]
fn is_plain(text: &str) -> bool {
    let bytes = text.as_bytes();
    let Some(last) = bytes.last_chunk() else {
        return bytes
            .iter()
            .all(|byte| !matches!(byte, 0..0x20 | b'"' | b'\\'));
    };
    // The last eight bytes may be checked twice.
    let (chunks, _) = bytes.as_chunks();
    chunks.iter().chain([last]).all(|chunk| are_plain(*chunk))
}

/// Checks eight bytes in one step: in a special byte, the highest bit is set.
#[inline]
fn are_plain(bytes: [u8; 8]) -> bool {
    const ONES: u64 = u64::from_le_bytes([1; 8]);
    const HIGHEST: u64 = ONES * 0x80;
    let word = u64::from_le_bytes(bytes);
    let is_zero = |word: u64| word.wrapping_sub(ONES) & !word;
    let is_control = word.wrapping_sub(ONES * 0x20) & !word;
    let is_escaped =
        is_zero(word ^ (ONES * u64::from(b'"'))) | is_zero(word ^ (ONES * u64::from(b'\\')));
    (is_control | is_escaped) & HIGHEST == 0
}

impl Sink for JsonLine {
    #[inline]
    fn joined(&mut self, start: &str, end: &str) {
        if is_plain(start) && is_plain(end) {
            self.bytes.push(b'"');
            self.raw(start);
            self.raw(end);
            self.bytes.push(b'"');
        } else {
            self.any(&[start, end].concat());
        }
    }

    #[inline]
    fn value(&mut self, value: &Value) {
        match value {
            Value::Null => self.raw("null"),
            Value::Bool(value) => self.raw(if *value { "true" } else { "false" }),
            Value::Int(number) => match u8::try_from(*number) {
                Ok(digit @ 0..=9) => self.bytes.push(b'0' + digit),
                _ => self.any(number),
            },
            Value::Text(text) => self.text(text),
            value => self.any(value),
        }
    }

    #[inline]
    fn object(&mut self, inside: impl FnOnce(&mut Self)) {
        self.between(b'{', b'}', inside);
    }

    #[inline]
    fn key(&mut self, key: JsonKey) -> &mut Self {
        self.raw(key.json);
        self
    }

    fn name(&mut self, name: &str) -> &mut Self {
        self.raw(",");
        self.text(name);
        self.raw(":");
        self
    }

    #[inline]
    fn list(&mut self, inside: impl FnOnce(&mut Self)) {
        self.between(b'[', b']', inside);
    }

    #[inline]
    fn item(&mut self) -> &mut Self {
        self.raw(",");
        self
    }

    #[inline]
    fn text(&mut self, text: &str) {
        if is_plain(text) {
            self.bytes.push(b'"');
            self.raw(text);
            self.bytes.push(b'"');
        } else {
            self.any(text);
        }
    }

    fn place(&mut self, path: &str, line: u32) {
        if is_plain(path) {
            self.bytes.push(b'"');
            self.raw(path);
            self.bytes.push(b':');
            self.any(&line);
            self.bytes.push(b'"');
        } else {
            self.any(&format!("{path}:{line}"));
        }
    }

    fn collected(&mut self, list: &List, since: usize) {
        self.object(|out| {
            pairs!(
                out,
                appended = each(list.since(since), |item, out| out.value(item)),
                length = any(&list.len()),
            );
        });
    }

    #[inline]
    fn word(&mut self, word: &'static str) {
        self.bytes.push(b'"');
        self.raw(word);
        self.bytes.push(b'"');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn special_byte_is_found_at_every_position() {
        for byte in 0..=127_u8 {
            for (length, at) in (1..20).flat_map(|length| (0..length).map(move |at| (length, at))) {
                let mut bytes = vec![b'~'; length];
                bytes[at] = byte;
                let text = String::from_utf8(bytes).unwrap();
                assert_eq!(
                    is_plain(&text),
                    !matches!(byte, 0..0x20 | b'"' | b'\\'),
                    "{text:?}"
                );
            }
        }
        assert!(is_plain("Сколько стоит «Профи»?") && is_plain(""));
    }

    #[test]
    fn written_lines_are_valid_json() {
        let texts = [
            "",
            "plain",
            "да",
            "quote \" and \\ and \n and \u{1}",
            "\u{7f}\u{2028}😀",
        ];
        for text in texts {
            let mut line = JsonLine::default();
            line.text(text);
            assert_eq!(
                serde_json::from_slice::<String>(line.as_bytes()).unwrap(),
                text
            );
            line.clear();
            line.joined(text, text);
            assert_eq!(
                serde_json::from_slice::<String>(line.as_bytes()).unwrap(),
                text.repeat(2)
            );
        }
        for number in [0, 9, 10, -1, i64::MIN, i64::MAX] {
            let mut line = JsonLine::default();
            line.int(number);
            assert_eq!(line.into_string(), number.to_string());
        }
    }
}
