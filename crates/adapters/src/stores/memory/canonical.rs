//! Canonical JSON for hashes.

use std::fmt::Write;

use serde_json::Value as Json;
use sha2::{Digest, Sha256};

/// The canonical text of a value: no spaces, the keys of maps sorted.
pub(super) fn canonical(value: &Json) -> String {
    let mut text = String::new();
    write_canonical(value, &mut text);
    text
}

fn write_canonical(value: &Json, out: &mut String) {
    match value {
        Json::Object(map) => {
            let mut entries: Vec<_> = map.iter().collect();
            entries.sort_by_key(|(key, _)| *key);
            out.push('{');
            for (number, (key, value)) in entries.into_iter().enumerate() {
                if number > 0 {
                    out.push(',');
                }
                out.push_str(&Json::from(key.as_str()).to_string());
                out.push(':');
                write_canonical(value, out);
            }
            out.push('}');
        }
        Json::Array(items) => {
            out.push('[');
            for (number, item) in items.iter().enumerate() {
                if number > 0 {
                    out.push(',');
                }
                write_canonical(item, out);
            }
            out.push(']');
        }
        plain => out.push_str(&plain.to_string()),
    }
}

/// The SHA-256 of the concatenated texts in hexadecimal digits.
pub(super) fn hash(texts: &[&str]) -> String {
    let mut hasher = Sha256::new();
    for text in texts {
        hasher.update(text.as_bytes());
    }
    hasher
        .finalize()
        .iter()
        .fold(String::new(), |mut hex, byte| {
            let _ = write!(hex, "{byte:02x}");
            hex
        })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn canonical_text_ignores_the_order_of_keys() {
        let one = json!({"b": [1, {"d": null, "c": "ü\n"}], "a": 0.5});
        assert_eq!(
            canonical(&one),
            "{\"a\":0.5,\"b\":[1,{\"c\":\"ü\\n\",\"d\":null}]}"
        );
        assert_eq!(
            hash(&["a", "bc"]),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        );
    }
}
