//! The bank: reads what was said by the examples that the intents of the model give. The last resort; it needs no model.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use rust_stemmers::{Algorithm, Stemmer};

use super::answerer::{Answerer, Attempt, Failure, FailureKind, Reply, Request};
use crate::engine::Need;
use crate::machine::{Float, Id, IntentId, Machine, Value};

/// The likeness from which another intent is named as an alternative.
const WORTH_NAMING: f64 = 0.2;
/// The most alternatives that are named.
const ALTERNATIVES: usize = 4;
/// What a word weighs that stands in no example: something was said that nobody has foreseen.
const STRANGE: f64 = 0.5;
/// What stands for any number.
const NUMBER: &str = "#";

/// Compares what was said with the examples of the intents.
#[derive(Clone, Copy, Debug, Default)]
pub struct Bank;

/// How the bank reads an utterance.
#[derive(Clone, Debug, PartialEq)]
pub struct Likeness {
    /// What was most likely meant.
    pub intent: IntentId,
    /// How alike the nearest example is, from 0 to 1, in hundredths.
    pub confidence: f64,
    /// What else may have been meant, the likeliest first.
    pub alternatives: Vec<(IntentId, f64)>,
}

impl Bank {
    /// The likeness below which the bank says nothing.
    pub const THRESHOLD: f64 = 0.35;

    /// Reads an utterance. Nothing, where no example is near enough. The same words are always read the same; of equals, the
    /// intent that the model names first wins.
    #[must_use]
    pub fn read(machine: &Machine, say: &str) -> Option<Likeness> {
        let stems = Stems::default();
        let said = stems.of(say);
        let intents = machine.names.intents.iter().enumerate().map(|(index, _)| IntentId::from_index(index));
        let intents: Vec<(IntentId, Vec<BTreeSet<String>>)> = intents
            .map(|id| (id, machine.meaning(id).examples.iter().map(|text| stems.of(text)).collect()))
            .collect();
        let weights = Weights::of(intents.iter().map(|(_, examples)| examples.as_slice()));
        let mut scores: Vec<(IntentId, f64)> = intents
            .iter()
            .map(|(id, examples)| (*id, examples.iter().map(|example| weights.likeness(&said, example))))
            .map(|(id, likeness)| (id, hundredths(likeness.fold(0.0, f64::max))))
            .filter(|(_, score)| *score >= WORTH_NAMING)
            .collect();
        // The sort is stable, so equals stay in the order of the model.
        scores.sort_by(|(_, one), (_, other)| other.total_cmp(one));
        let mut scores = scores.into_iter();
        let (intent, confidence) = scores.next().filter(|(_, score)| *score >= Self::THRESHOLD)?;
        Some(Likeness { intent, confidence, alternatives: scores.take(ALTERNATIVES).collect() })
    }
}

impl Likeness {
    /// The reading as an answer.
    fn to_value(&self, machine: &Machine) -> Value {
        let name = |id: IntentId| Value::text(machine.names.intents.name(id));
        let share = |number: f64| Value::Float(Float::new(number));
        let others = self.alternatives.iter();
        let others =
            others.map(|(id, score)| Value::map([("intent", name(*id)), ("confidence", share(*score))]));
        Value::map([
            ("intent", name(self.intent)),
            ("confidence", share(self.confidence)),
            ("alternatives", Value::List(others.collect())),
        ])
    }
}

impl Answerer for Bank {
    fn answer(&mut self, request: &Request<'_>, failed: &mut Vec<Attempt>) -> Option<Reply> {
        let by: Arc<str> = "bank".into();
        let reading = match request.need {
            Need::Classify { .. } => Self::read(request.machine, request.say.unwrap_or_default()),
            Need::Decide { .. } => None,
        };
        if let Some(reading) = reading {
            return Some(Reply { by, value: reading.to_value(request.machine) });
        }
        let reason = match request.need {
            Need::Classify { .. } => "no example of an intent is like what was said",
            Need::Decide { .. } => "the bank reads what was said, and decides nothing",
        };
        failed
            .push(Attempt { by, failure: Failure { kind: FailureKind::Nobody, reason: reason.to_owned() } });
        None
    }
}

/// Words without their endings, for Russian and English.
struct Stems {
    russian: Stemmer,
    english: Stemmer,
}

impl Default for Stems {
    fn default() -> Self {
        Self { russian: Stemmer::create(Algorithm::Russian), english: Stemmer::create(Algorithm::English) }
    }
}

impl Stems {
    /// The words of a text, each once: in lower case, `ё` as `е`, any number as one and the same word.
    fn of(&self, text: &str) -> BTreeSet<String> {
        let text = text.to_lowercase().replace('ё', "е");
        let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
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

/// What words weigh: the fewer intents have a word in their examples, the more it tells.
struct Weights<'a> {
    intents: BTreeMap<&'a str, u32>,
}

impl<'a> Weights<'a> {
    fn of(intents: impl Iterator<Item = &'a [BTreeSet<String>]>) -> Self {
        let mut counts = BTreeMap::new();
        for examples in intents {
            let words: BTreeSet<&str> = examples.iter().flatten().map(String::as_str).collect();
            for word in words {
                *counts.entry(word).or_insert(0) += 1;
            }
        }
        Self { intents: counts }
    }

    fn weight(&self, word: &str) -> f64 {
        self.intents.get(word).map_or(STRANGE, |count| f64::from(*count).sqrt().recip())
    }

    fn all(&self, words: &BTreeSet<String>) -> f64 {
        words.iter().map(|word| self.weight(word)).sum()
    }

    /// How alike two texts are, from 0 to 1: the share of what they have in common, by weight (the coefficient of Dice).
    fn likeness(&self, said: &BTreeSet<String>, example: &BTreeSet<String>) -> f64 {
        let common: f64 = said.intersection(example).map(|word| self.weight(word)).sum();
        let both = self.all(said) + self.all(example);
        if both > 0.0 { 2.0 * common / both } else { 0.0 }
    }
}

fn hundredths(number: f64) -> f64 {
    (number * 100.0).round() / 100.0
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

    #[test]
    fn what_all_intents_share_weighs_little() {
        let stems = Stems::default();
        let examples = [[stems.of("у нас дорого")], [stems.of("у нас сложно")], [stems.of("у нас долго")]];
        let weights = Weights::of(examples.iter().map(<[_; 1]>::as_slice));
        let said = stems.of("у нас весна");
        let [first, ..] = &examples;
        assert!(weights.likeness(&said, &first[0]) < weights.likeness(&stems.of("дорого"), &first[0]));
    }
}
