//! Precision, recall and F1 by intent, and what was taken for what.

use std::collections::BTreeMap;

use indexmap::IndexSet;
use serde::{Deserialize, Serialize};

use crate::eval::labelled::NONE;
use crate::eval::utterance_result::UtteranceResult;
use crate::statistics::{Proportion, real, rounded};

/// How well an intent is read.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct IntentScore {
    /// The intent; `none` for utterances that mean nothing that the model knows.
    pub intent: String,
    /// Utterances that mean it.
    pub labelled: u64,
    /// Utterances that were read as it.
    pub read: u64,
    /// Utterances that mean it and were read as it.
    pub right: u64,
    /// Of those that were read as it, those that mean it; nothing, where none was.
    pub precision: Option<f64>,
    /// Of those that mean it, those that were read as it; nothing, where none does.
    pub recall: Option<f64>,
    /// The harmonic mean of the two; 0 where none is right.
    pub f1: f64,
}

/// An intent that was taken for another one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ConfusedPair {
    /// What is meant.
    pub intent: String,
    /// What it was read as; `none` where nobody read it.
    pub read_as: String,
    /// How often.
    pub count: u64,
    /// The utterances, by what they are known by.
    pub utterances: Vec<String>,
}

/// Utterances by what they mean and by what they were read as, in numbers.
pub(crate) struct IntentCounts<'r> {
    names: IndexSet<&'r str>,
    /// Of each utterance that could be asked about, what it means and what it was read as.
    pairs: Vec<(usize, usize)>,
}

impl<'r> IntentCounts<'r> {
    /// Of what a reader made of these.
    pub(crate) fn of(utterances: impl Iterator<Item = &'r UtteranceResult>, reader: usize) -> Self {
        let mut counts = Self {
            names: IndexSet::new(),
            pairs: Vec::new(),
        };
        for utterance in utterances {
            let Some(reading) = utterance.reading(reader) else {
                continue;
            };
            let (meant, _) = counts.names.insert_full(&utterance.intent);
            let (read, _) = counts.names.insert_full(reading.label());
            counts.pairs.push((meant, read));
        }
        counts
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.pairs.len()
    }

    /// Those that are right.
    pub(super) fn accuracy(&self) -> Proportion {
        let right = self.pairs.iter().filter(|(meant, read)| meant == read);
        Proportion::of(right.count() as u64, self.pairs.len() as u64)
    }

    /// The mean F1 of the intents that are meant in a sample of the utterances, each intent alike.
    pub(crate) fn macro_f1(&self, sample: &[usize]) -> f64 {
        let counted = self.count(sample.iter().filter_map(|number| self.pairs.get(*number)));
        let meant = counted.iter().filter(|(labelled, ..)| *labelled > 0);
        let sum: f64 = meant.clone().map(f1).sum();
        let classes = meant.count();
        if classes == 0 {
            0.0
        } else {
            sum / real(classes as u64)
        }
    }

    /// The mean F1 of all intents that are meant, each intent alike, and each by how often it is meant.
    pub(super) fn f1(&self) -> (f64, f64) {
        let all: Vec<usize> = (0..self.pairs.len()).collect();
        let counted = self.count(self.pairs.iter());
        let weighted: f64 = counted
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

    /// The score of each intent that is meant or was read, by name. What nobody read counts as read as none only where
    /// utterances mean none.
    pub(super) fn scores(&self) -> Vec<IntentScore> {
        let counted = self.count(self.pairs.iter());
        let share = |part: u64, whole: u64| (whole > 0).then(|| rounded(real(part) / real(whole)));
        let scores = self.names.iter().zip(&counted).map(|(name, counts)| {
            let (labelled, read, right) = *counts;
            let (precision, recall) = (share(right, read), share(right, labelled));
            IntentScore {
                intent: (*name).to_owned(),
                labelled,
                read,
                right,
                precision,
                recall,
                f1: rounded(f1(counts)),
            }
        });
        let mut scores: Vec<IntentScore> = scores
            .filter(|score| score.intent != NONE || score.labelled > 0)
            .collect();
        scores.sort_by(|one, other| one.intent.cmp(&other.intent));
        scores
    }

    /// Of each name: how often it is meant, read, and both.
    fn count<'p>(&self, pairs: impl Iterator<Item = &'p (usize, usize)>) -> Vec<(u64, u64, u64)> {
        let mut counted = vec![(0, 0, 0); self.names.len()];
        for (meant, read) in pairs {
            if let Some((labelled, ..)) = counted.get_mut(*meant) {
                *labelled += 1;
            }
            if let Some((_, count, right)) = counted.get_mut(*read) {
                *count += 1;
                *right += u64::from(meant == read);
            }
        }
        counted
    }
}

/// The harmonic mean of precision and recall.
fn f1((labelled, read, right): &(u64, u64, u64)) -> f64 {
    let all = labelled + read;
    if all == 0 {
        0.0
    } else {
        2.0 * real(*right) / real(all)
    }
}

impl ConfusedPair {
    /// What was taken for what, the most frequent first.
    pub(super) fn all(utterances: &[UtteranceResult], reader: usize) -> Vec<Self> {
        let mut pairs: BTreeMap<(&str, &str), Vec<&str>> = BTreeMap::new();
        for utterance in utterances
            .iter()
            .filter(|utterance| utterance.is_right(reader) == Some(false))
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
        let pair = |((intent, read_as), mut keys): ((&str, &str), Vec<&str>)| {
            keys.sort_unstable();
            Self {
                intent: intent.to_owned(),
                read_as: read_as.to_owned(),
                count: keys.len() as u64,
                utterances: keys.into_iter().map(str::to_owned).collect(),
            }
        };
        let mut pairs: Vec<Self> = pairs.into_iter().map(pair).collect();
        pairs.sort_by_key(|pair| std::cmp::Reverse(pair.count));
        pairs
    }
}
