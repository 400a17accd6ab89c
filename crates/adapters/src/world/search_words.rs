//! The words by which something is looked for.

use crate::limits::MAX_SEARCH_WORDS;
use fsmsim_core::machine::Stems;

/// Letters of a word that is looked for at least: shorter ones stand everywhere.
const LETTERS: usize = 3;

/// The words of texts without their endings, each once. They have letters and digits alone, so nothing in them is an operator.
pub(super) fn search_words(stems: &Stems, texts: &[&str]) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for stem in texts.iter().flat_map(|text| stems.of(text)) {
        if stem.chars().count() >= LETTERS
            && words.len() < MAX_SEARCH_WORDS
            && !words.contains(&stem)
        {
            words.push(stem);
        }
    }
    words
}
