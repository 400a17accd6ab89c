//! Words without their endings, so that forms of one word are the same word.

use std::collections::BTreeSet;

use rust_stemmers::{Algorithm, Stemmer};

/// What stands for any number.
const NUMBER: &str = "#";

/// Words without their endings, for Russian and English.
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
    /// The words of a text, each once: in lower case, `ё` as `е`, any number as one and the same word.
    pub fn of(&self, text: &str) -> BTreeSet<String> {
        let text = text.to_lowercase().replace('ё', "е");
        let words = text
            .split(|c: char| !c.is_alphanumeric())
            .filter(|word| !word.is_empty());
        words.map(|word| self.stem(word)).collect()
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

#[cfg(test)]
mod tests {
    use super::*;

    fn stems(text: &str) -> Vec<String> {
        Stems::default().of(text).into_iter().collect()
    }

    #[test]
    fn endings_case_and_marks_make_no_difference() {
        assert_eq!(stems("Теряем КЛИЕНТОВ!"), stems("теряем... клиента"));
        assert_eq!(stems("ещё тёплый"), stems("Еще теплый"));
        assert_eq!(stems("Prices, pricing"), stems("price pricing prices"));
        assert_eq!(stems("нас 50"), stems("Нас 1200"));
        assert_eq!(stems(" ?! — … "), Vec::<String>::new());
    }

    #[test]
    fn words_of_no_language_stay_as_they_are() {
        assert_eq!(stems("B2B ąę 漢字 naïve"), ["b2b", "naïve", "ąę", "漢字"]);
    }
}
