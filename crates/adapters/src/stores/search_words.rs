//! Words for searches.

use crate::limits::MAX_SEARCH_WORDS;
use fsmsim_core::machine::Stems;

/// Minimum length of a search word in characters. Shorter words are too frequent.
const MIN_CHARACTERS: usize = 3;

/// The unique word stems of texts. They contain only letters and digits, so they cannot be search operators.
pub(super) fn search_words(stems: &Stems, texts: &[&str]) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for stem in texts.iter().flat_map(|text| stems.of(text)) {
        if stem.chars().count() >= MIN_CHARACTERS
            && words.len() < MAX_SEARCH_WORDS
            && !words.contains(&stem)
        {
            words.push(stem);
        }
    }
    words
}
