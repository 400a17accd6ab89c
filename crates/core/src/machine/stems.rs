//! Word stems, for comparing words regardless of their endings.

use std::collections::BTreeSet;

use rust_stemmers::{Algorithm, Stemmer};

/// The stem that stands for any number.
const NUMBER: &str = "#";

/// Stems Russian and English words.
pub struct Stems {
    russian: Stemmer,
    english: Stemmer,
}

impl Default for Stems {
    fn default() -> Self {
        Self {
            russian: Stemmer::create(Algorithm::Russian),
            english: Stemmer::create(Algorithm::English),
        }
    }
}

impl Stems {
    /// The stems of the words in a text, without duplicates. Stems are in lowercase, `ё` becomes `е`, and all numbers
    /// have the same stem.
    pub fn of(&self, text: &str) -> BTreeSet<String> {
        let words = self.words(text).into_iter();
        words.map(|(_, stem)| stem).collect()
    }

    /// The words of a text with their stems, in order. Both are in lowercase, with `е` instead of `ё`.
    pub fn words(&self, text: &str) -> Vec<(String, String)> {
        text.to_lowercase()
            .replace('ё', "е")
            .split(|c: char| !c.is_alphanumeric())
            .filter(|word| !word.is_empty())
            .map(|word| (word.to_owned(), self.stem(word)))
            .collect()
    }

    /// The stem of a word, in lowercase. A number is its own stem.
    pub(crate) fn of_word(&self, word: &str) -> String {
        let word = word.to_lowercase().replace('ё', "е");
        if word.chars().all(char::is_numeric) {
            return word;
        }
        self.stem(&word)
    }

    fn stem(&self, word: &str) -> String {
        if word.chars().all(char::is_numeric) {
            return NUMBER.to_owned();
        }
        let is_russian = word.chars().all(|c| ('а'..='я').contains(&c));
        let is_english = word.chars().all(|c| c.is_ascii_lowercase());
        match (is_russian, is_english) {
            (true, _) => self.russian.stem(word).into_owned(),
            (_, true) => self.english.stem(word).into_owned(),
            _ => word.to_owned(),
        }
    }
}

/// Whether a text is in Russian; otherwise it counts as English.
pub fn is_russian(text: &str) -> bool {
    text.chars()
        .any(|c| matches!(c, 'а'..='я' | 'А'..='Я' | 'ё' | 'Ё'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stems(text: &str) -> Vec<String> {
        Stems::default().of(text).into_iter().collect()
    }

    #[test]
    fn stems_ignore_endings_case_and_punctuation() {
        assert_eq!(stems("Теряем КЛИЕНТОВ!"), stems("теряем... клиента"));
        assert_eq!(stems("ещё тёплый"), stems("Еще теплый"));
        assert_eq!(stems("Prices, pricing"), stems("price pricing prices"));
        assert_eq!(stems("нас 50"), stems("Нас 1200"));
        assert_eq!(stems(" ?! — … "), Vec::<String>::new());
    }

    #[test]
    fn words_of_other_languages_are_unchanged() {
        assert_eq!(stems("B2B ąę 漢字 naïve"), ["b2b", "naïve", "ąę", "漢字"]);
    }
}
