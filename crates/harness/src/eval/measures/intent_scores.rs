//! Precision, recall and F1 by intent, and confusions.

use std::collections::BTreeMap;

use indexmap::IndexSet;
use serde::{Deserialize, Serialize};

use crate::eval::dataset::NONE;
use crate::eval::utterance_result::UtteranceResult;
use crate::statistics::{Proportion, real, rounded};

/// The scores of an intent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct IntentScore {
    /// The intent; `none` for utterances without an intent of the model.
    pub intent: String,
    /// The number of utterances labeled with it.
    pub support: u64,
    /// The number of utterances recognized as it.
    pub predicted: u64,
    /// The number of utterances labeled with it and recognized as it.
    pub correct: u64,
    /// The proportion of correct utterances among those recognized as it; `None` without any.
    pub precision: Option<f64>,
    /// The proportion of correct utterances among those labeled with it; `None` without any.
    pub recall: Option<f64>,
    /// The harmonic mean of precision and recall; 0 if no utterance is correct.
    pub f1: f64,
}

/// An intent that was recognized as another intent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ConfusedPair {
    /// The labeled intent.
    pub intent: String,
    /// The recognized intent; `none` if no intent was recognized.
    pub predicted: String,
    /// The number of utterances.
    pub count: u64,
    /// The keys of the utterances.
    pub utterances: Vec<String>,
}

/// Counts of utterances by labeled intent and recognized intent.
#[derive(Default)]
pub(crate) struct IntentCounts<'r> {
    names: IndexSet<&'r str>,
    /// The labeled and the recognized intent of each answered utterance, as indexes into `names`.
    pairs: Vec<(usize, usize)>,
}

impl<'r> IntentCounts<'r> {
    /// Counts the readings of a recognizer.
    pub(crate) fn of(utterances: impl Iterator<Item = &'r UtteranceResult>, reader: usize) -> Self {
        let mut counts = Self::default();
        for utterance in utterances {
            let Some(reading) = utterance.reading(reader) else {
                continue;
            };
            let (expected, _) = counts.names.insert_full(&utterance.intent);
            let (read, _) = counts.names.insert_full(reading.label());
            counts.pairs.push((expected, read));
        }
        counts
    }

    /// The number of utterances.
    pub(crate) fn len(&self) -> usize {
        self.pairs.len()
    }

    /// The proportion of correct utterances.
    pub(super) fn accuracy(&self) -> Proportion {
        let correct = self
            .pairs
            .iter()
            .filter(|(expected, read)| expected == read);
        Proportion::of(correct.count() as u64, self.pairs.len() as u64)
    }

    /// The unweighted mean F1 of the labeled intents in a sample of utterances.
    pub(crate) fn macro_f1(&self, sample: &[usize]) -> f64 {
        let counted = self.count(sample.iter().filter_map(|number| self.pairs.get(*number)));
        let expected = counted.iter().filter(|(support, ..)| *support > 0);
        let sum: f64 = expected.clone().map(f1).sum();
        let classes = expected.count();
        if classes == 0 {
            0.0
        } else {
            sum / real(classes as u64)
        }
    }

    /// The mean F1 of all labeled intents, unweighted and weighted by the number of labels.
    pub(super) fn f1(&self) -> (f64, f64) {
        let all: Vec<usize> = (0..self.pairs.len()).collect();
        let weighted: f64 = self
            .count(self.pairs.iter())
            .iter()
            .map(|counts| real(counts.0) * f1(counts))
            .sum();
        let weighted = if self.pairs.is_empty() {
            0.0
        } else {
            weighted / real(self.pairs.len() as u64)
        };
        (rounded(self.macro_f1(&all)), rounded(weighted))
    }

    /// The score of each labeled or recognized intent, by name. `none` has a score only if utterances are labeled with it.
    pub(super) fn scores(&self) -> Vec<IntentScore> {
        let counted = self.count(self.pairs.iter());
        let share = |part: u64, whole: u64| (whole > 0).then(|| rounded(real(part) / real(whole)));
        let scores = self.names.iter().zip(&counted).map(|(name, counts)| {
            let (support, predicted, correct) = *counts;
            IntentScore {
                intent: (*name).to_owned(),
                support,
                predicted,
                correct,
                precision: share(correct, predicted),
                recall: share(correct, support),
                f1: rounded(f1(counts)),
            }
        });
        let mut scores: Vec<IntentScore> = scores
            .filter(|score| score.intent != NONE || score.support > 0)
            .collect();
        scores.sort_by(|one, other| one.intent.cmp(&other.intent));
        scores
    }

    /// The numbers of labeled, recognized and correct utterances for each intent.
    fn count<'p>(&self, pairs: impl Iterator<Item = &'p (usize, usize)>) -> Vec<(u64, u64, u64)> {
        let mut counted = vec![(0, 0, 0); self.names.len()];
        for (expected, read) in pairs {
            if let Some((support, ..)) = counted.get_mut(*expected) {
                *support += 1;
            }
            if let Some((_, count, correct)) = counted.get_mut(*read) {
                *count += 1;
                *correct += u64::from(expected == read);
            }
        }
        counted
    }
}

/// The harmonic mean of precision and recall.
fn f1((support, predicted, correct): &(u64, u64, u64)) -> f64 {
    let all = support + predicted;
    if all == 0 {
        0.0
    } else {
        2.0 * real(*correct) / real(all)
    }
}

impl ConfusedPair {
    /// All confused pairs, the most frequent first.
    pub(super) fn all(utterances: &[UtteranceResult], reader: usize) -> Vec<Self> {
        let mut pairs: BTreeMap<(&str, &str), Vec<&str>> = BTreeMap::new();
        for utterance in utterances
            .iter()
            .filter(|utterance| utterance.is_correct(reader) == Some(false))
        {
            let read = utterance
                .readings
                .get(reader)
                .map_or(NONE, |reading| reading.label());
            pairs
                .entry((&utterance.intent, read))
                .or_default()
                .push(&utterance.key);
        }
        let pair = |((intent, predicted), mut keys): ((&str, &str), Vec<&str>)| {
            keys.sort_unstable();
            Self {
                intent: intent.to_owned(),
                predicted: predicted.to_owned(),
                count: keys.len() as u64,
                utterances: keys.into_iter().map(str::to_owned).collect(),
            }
        };
        let mut pairs: Vec<Self> = pairs.into_iter().map(pair).collect();
        pairs.sort_by_key(|pair| std::cmp::Reverse(pair.count));
        pairs
    }
}
