//! The example classifier (`examples`) recognizes utterances by the examples of the intents. It is a fallback that
//! needs no model.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::answer_failure::FailureKind;
use super::answerer::{Answerer, AnswererReply, Attempt, Request};
use super::intent_option::IntentOption;
use super::task::Task;
use fsmsim_core::machine::{Float, Stems, Value};

/// The minimum similarity of an alternative intent.
const MIN_ALTERNATIVE: f64 = 0.2;
/// The maximum number of alternatives.
const ALTERNATIVES: usize = 4;
/// The weight of a word that no example contains. Such words lower the similarity.
const UNKNOWN_WORD: f64 = 0.5;

/// The quotation marks around utterances in texts.
const QUOTES: [char; 5] = ['«', '»', '“', '”', '"'];

/// Compares utterances with the examples of the intents.
#[derive(Clone, Copy, Debug, Default)]
pub struct ExampleClassifier;

impl ExampleClassifier {
    /// The minimum similarity for an answer.
    pub const THRESHOLD: f64 = 0.35;

    /// Recognizes an utterance. Returns the intent with the most similar example, its similarity (0 to 1, rounded to
    /// hundredths), and alternatives, most similar first. Returns `None` if no example is similar enough.
    /// Deterministic: ties keep the order of `intents`.
    pub fn read(intents: &[IntentOption<'_>], say: &str) -> Option<Value> {
        let examples = intents
            .iter()
            .map(|offer| (offer.intent, offer.examples.iter().map(|text| &**text)));
        let mut readings = scores(examples, say).into_iter().map(|(name, score)| {
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

    /// Selects the next state whose conditions, or utterances quoted in them, are most similar to the utterance. Returns
    /// `None` if none is similar enough. Generates no reply text.
    pub fn lead(targets: &[&str], conditions: &[Vec<&str>], say: &str) -> Option<Value> {
        let examples = targets.iter().zip(conditions).map(|(name, texts)| {
            // A trigger can quote several utterances: «Check me», «which level am I».
            let quoted = |text| str::split(text, QUOTES).skip(1).step_by(2);
            let whole = texts.iter().copied();
            (*name, whole.clone().chain(whole.flat_map(quoted)))
        });
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

/// The similarity of each choice to the utterance, measured by its most similar example. Sorted by similarity, without
/// choices below the minimum.
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
        .filter(|(_, score)| *score >= MIN_ALTERNATIVE)
        .collect();
    // The sort is stable, so ties keep the order of the choices.
    scores.sort_by(|(_, one), (_, other)| other.total_cmp(one));
    scores
}

impl Answerer for ExampleClassifier {
    fn answer(
        &mut self,
        request: &Request<'_>,
        failed: &mut Vec<Attempt>,
    ) -> Option<AnswererReply> {
        let by: Arc<str> = "examples".into();
        let (answer, reason) = match &request.task {
            Task::Classify(reading) => (
                Self::read(&reading.nearest_first(), reading.utterance),
                "no example is similar to the utterance",
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
                    "no transition of the state is similar to the utterance",
                )
            }
            _ => (
                None,
                "the example classifier supports only `classify` and `navigate`",
            ),
        };
        if let Some(answer) = answer {
            return Some(AnswererReply::free(by, answer));
        }
        failed.push(Attempt::new(by, FailureKind::NoProvider, reason));
        None
    }
}

/// Word weights: the fewer intents use a word in their examples, the higher its weight.
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
            .map_or(UNKNOWN_WORD, |count| f64::from(*count).sqrt().recip())
    }

    fn all(&self, words: &BTreeSet<String>) -> f64 {
        words.iter().map(|word| self.weight(word)).sum()
    }

    /// The weighted Dice coefficient of two word sets, from 0 to 1.
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
    fn words_shared_by_all_intents_have_low_weight() {
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
