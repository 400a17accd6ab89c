//! Names of files and sessions that are derived from text.

use crate::limits::MAX_STEM_LENGTH;

/// A name that is valid on every system: the words of a text (letters, digits and `-`), joined by `_`. Returns
/// `fallback` if the text has no words.
pub fn safe_stem(text: &str, fallback: &str) -> String {
    let words: Vec<&str> = text
        .split(|c: char| !c.is_alphanumeric() && c != '-')
        .map(|word| word.trim_matches('-'))
        .filter(|word| !word.is_empty())
        .collect();
    let words = if words.is_empty() {
        fallback.to_owned()
    } else {
        words.join("_")
    };
    words.chars().take(MAX_STEM_LENGTH).collect()
}
