//! Shortens the structured content of a result.

use std::io::{self, Write};

use crate::limits::MAX_PART_TEXT;
use serde::Serialize;
use serde_json::{Map, Value as Json};

/// Bytes for the mark at the end of a shortened text, and for the punctuation of a key.
const MARK: usize = 32;
const KEY: usize = 4;

/// The note about shortened content.
pub(super) const CUT: &str = "long values are cut, and end in `…`";

/// The length of the serialized value in bytes.
pub(super) fn size_of(parts: &impl Serialize) -> usize {
    let mut size = WrittenBytes(0);
    // `WrittenBytes` never fails.
    let _ = serde_json::to_writer(&mut size, parts);
    size.0
}

/// Shortens a value to about `most` bytes: first each long string, then all lists and maps evenly, so that a long value
/// does not displace the values after it. Returns whether anything was shortened.
pub(super) fn cut_parts(parts: &mut Json, most: usize) -> bool {
    if size_of(parts) <= most {
        return false;
    }
    cut_texts(parts);
    if size_of(parts) > most {
        *parts = within(parts.take(), most);
    }
    true
}

fn cut_texts(parts: &mut Json) {
    match parts {
        Json::String(text) if text.len() > MAX_PART_TEXT => *text = cut_text(text, MAX_PART_TEXT),
        Json::Array(items) => items.iter_mut().for_each(cut_texts),
        Json::Object(map) => map.values_mut().for_each(cut_texts),
        _ => {}
    }
}

/// A text, shortened to `most` bytes.
pub(super) fn cut_text(text: &str, most: usize) -> String {
    if text.len() <= most {
        return text.to_owned();
    }
    let head = text
        .get(..text.floor_char_boundary(most.saturating_sub(MARK)))
        .unwrap_or_default();
    format!("{head}… ({} more bytes)", text.len() - head.len())
}

/// The part of a value that fits into `most` bytes.
fn within(value: Json, most: usize) -> Json {
    if size_of(&value) <= most {
        return value;
    }
    match value {
        Json::String(text) => Json::String(cut_text(&text, most)),
        Json::Array(items) => {
            let level = level(items.iter().map(size_of), most);
            let mut left = most;
            let mut kept = Vec::new();
            for item in items {
                let item = within(item, level);
                let Some(rest) = left.checked_sub(size_of(&item) + 1) else {
                    break;
                };
                left = rest;
                kept.push(item);
            }
            Json::Array(kept)
        }
        Json::Object(map) => {
            let keys: usize = map.keys().map(|key| key.len() + KEY).sum();
            let level = level(map.values().map(size_of), most.saturating_sub(keys));
            let mut left = most;
            let mut kept = Map::new();
            for (key, value) in map {
                let value = within(value, level);
                let Some(rest) = left.checked_sub(size_of(&value) + key.len()) else {
                    break;
                };
                left = rest;
                kept.insert(key, value);
            }
            Json::Object(kept)
        }
        value => value,
    }
}

/// The maximum size per item such that all items together fit into `most` bytes. Large items get the space that small
/// items do not need.
///
/// Equal shares would cut more than necessary. Of 10, 100 and 1000 bytes with a limit of 300, the first two stay
/// complete, and the third gets the remaining 188.
fn level(sizes: impl Iterator<Item = usize>, most: usize) -> usize {
    let mut sizes: Vec<usize> = sizes.map(|size| size + 1).collect();
    sizes.sort_unstable();
    let mut left = most;
    let mut rest = sizes.len();
    for size in sizes {
        let share = left / rest;
        if size > share {
            return share;
        }
        left -= size;
        rest -= 1;
    }
    most
}

/// Counts the written bytes.
struct WrittenBytes(usize);

impl Write for WrittenBytes {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_long_values_are_cut_above_the_limit() {
        let mut small = json!({"a": ["x", 1]});
        assert!(!cut_parts(&mut small, 100));
        let mut long = json!({"first": "я".repeat(100_000), "last": [1, 2]});
        assert!(cut_parts(&mut long, 10_000));
        assert_eq!(long["last"], json!([1, 2]));
        assert!(
            long["first"].as_str().unwrap().ends_with("more bytes)") && size_of(&long) < 10_000,
            "{long}"
        );
        let mut many =
            json!({"many": vec![json!({"text": "x".repeat(3_000)}); 100], "last": "end"});
        assert!(cut_parts(&mut many, 50_000));
        assert_eq!(
            (many["last"].clone(), many["many"][0]["text"].is_string()),
            (json!("end"), true)
        );
        assert!(
            many["many"].as_array().unwrap().len() == 100 && size_of(&many) < 60_000,
            "{}",
            size_of(&many)
        );
        let mut deep = json!(1);
        for _ in 0..90 {
            deep = json!([deep, vec![7; 1000]]);
        }
        assert!(
            cut_parts(&mut deep, 5_000) && size_of(&deep) < 10_000,
            "{}",
            size_of(&deep)
        );
    }
}
