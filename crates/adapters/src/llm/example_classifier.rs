//! A classifier by examples, which people know as `bank`: reads what was said by the examples that the intents give. The last resort; it needs no model.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::answer_failure::FailureKind;
use super::answerer::{Answerer, AnswererReply, Attempt, Request};
use super::offer::Offer;
use super::task::Task;
use fsmsim_core::machine::{Float, Stems, Value};

/// The likeness from which another intent is named as an alternative.
const WORTH_NAMING: f64 = 0.2;
/// The most alternatives that are named.
const ALTERNATIVES: usize = 4;
/// What a word weighs that stands in no example: something was said that nobody has foreseen.
const STRANGE: f64 = 0.5;

/// Compares what was said with the examples of the intents.
#[derive(Clone, Copy, Debug, Default)]
pub struct ExampleClassifier;

impl ExampleClassifier {
    /// The likeness below which it says nothing.
    pub const THRESHOLD: f64 = 0.35;

    /// Reads an utterance: the intent with the nearest example, how alike it is (from 0 to 1, in hundredths), and what else
    /// may have been meant, the likeliest first. Nothing, where no example is near enough. The same words are always read
    /// the same; of equals, the intent that is offered first wins.
    pub fn read(intents: &[Offer<'_>], say: &str) -> Option<Value> {
        let examples = intents
            .iter()
            .map(|offer| (offer.intent, offer.examples.iter().map(|text| &**text)));
        let scores = scores(examples, say);
        let mut readings = scores.into_iter().map(|(name, score)| {
            let pair = [
                ("intent", Value::text(name)),
                ("confidence", Value::Float(Float::new(score))),
            ];
            (score, pair)
        });
        let (_, [intent, confidence]) = readings
            .next()
            .filter(|(score, _)| *score >= Self::THRESHOLD)?;
        let others = readings
            .take(ALTERNATIVES)
            .map(|(_, pair)| Value::map(pair))
            .collect();
        Some(Value::map([
            intent,
            confidence,
            ("alternatives", Value::List(others)),
        ]))
    }

    /// Where a dialogue goes on: the state of which the conditions are nearest to what was said. Nothing, where none is near
    /// enough. It finds no words to say.
    pub fn lead(targets: &[&str], conditions: &[Vec<&str>], say: &str) -> Option<Value> {
        let examples = targets
            .iter()
            .zip(conditions)
            .map(|(name, texts)| (*name, texts.iter().copied()));
        let (target, _) = scores(examples, say)
            .into_iter()
            .next()
            .filter(|(_, score)| *score >= Self::THRESHOLD)?;
        Some(Value::map([
            ("reply", Value::text("")),
            ("target", Value::text(target)),
        ]))
    }
}

/// How alike each choice is to what was said, by the nearest of its examples; the likeliest first, and none that is not worth
/// naming.
fn scores<'a>(
    choices: impl Iterator<Item = (&'a str, impl Iterator<Item = &'a str>)>,
    say: &str,
) -> Vec<(&'a str, f64)> {
    let stems = Stems::default();
    let said = stems.of(say);
    let choices: Vec<(&str, Vec<BTreeSet<String>>)> = choices
        .map(|(name, examples)| (name, examples.map(|text| stems.of(text)).collect()))
        .collect();
    let weights = Weights::of(choices.iter().map(|(_, examples)| examples.as_slice()));
    let mut scores: Vec<(&str, f64)> = choices
        .iter()
        .map(|(name, examples)| {
            (
                *name,
                examples
                    .iter()
                    .map(|example| weights.likeness(&said, example)),
            )
        })
        .map(|(name, likeness)| (name, hundredths(likeness.fold(0.0, f64::max))))
        .filter(|(_, score)| *score >= WORTH_NAMING)
        .collect();
    // The sort is stable, so equals stay in the order of the offer.
    scores.sort_by(|(_, one), (_, other)| other.total_cmp(one));
    scores
}

impl Answerer for ExampleClassifier {
    fn answer(
        &mut self,
        request: &Request<'_>,
        failed: &mut Vec<Attempt>,
    ) -> Option<AnswererReply> {
        let by: Arc<str> = "bank".into();
        let (answer, reason) = match &request.task {
            Task::Classify(reading) => (
                Self::read(&reading.nearest_first(), reading.utterance),
                "no example of an intent is like what was said",
            ),
            Task::Navigate {
                history,
                targets,
                conditions,
                ..
            } => {
                let said = history.last().map_or("", |line| &*line.text);
                (
                    Self::lead(targets, conditions, said),
                    "no move of the state is like what was said",
                )
            }
            _ => (
                None,
                "the bank reads what was said and asks for points, and does nothing else",
            ),
        };
        if let Some(answer) = answer {
            return Some(AnswererReply::free(by, answer));
        }
        failed.push(Attempt::new(by, FailureKind::Nobody, reason));
        None
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
        self.intents
            .get(word)
            .map_or(STRANGE, |count| f64::from(*count).sqrt().recip())
    }

    fn all(&self, words: &BTreeSet<String>) -> f64 {
        words.iter().map(|word| self.weight(word)).sum()
    }

    /// How alike two texts are, from 0 to 1: the share of what they have in common, by weight (the coefficient of Dice).
    fn likeness(&self, said: &BTreeSet<String>, example: &BTreeSet<String>) -> f64 {
        let common: f64 = said
            .intersection(example)
            .map(|word| self.weight(word))
            .sum();
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

    #[test]
    fn what_all_intents_share_weighs_little() {
        let stems = Stems::default();
        let examples = [
            [stems.of("у нас дорого")],
            [stems.of("у нас сложно")],
            [stems.of("у нас долго")],
        ];
        let weights = Weights::of(examples.iter().map(<[_; 1]>::as_slice));
        let said = stems.of("у нас весна");
        let [first, ..] = &examples;
        assert!(
            weights.likeness(&said, &first[0]) < weights.likeness(&stems.of("дорого"), &first[0])
        );
    }
}
