//! Compares two recognizers on the utterances that both of them read.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::measures::IntentCounts;
use super::utterance_result::UtteranceResult;
use crate::statistics::{Bootstrap, Interval, PairedCounts, mcnemar, rounded};

/// The comparison of two recognizers on the utterances that both of them read.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PairedComparison {
    /// The name of the first recognizer.
    pub first: String,
    /// The name of the second recognizer.
    pub second: String,
    /// The number of utterances that both read with the same label.
    pub utterances: u64,
    /// The number of utterances that only one of them read, or that have different labels.
    pub left_out: u64,
    /// The number of utterances that both classify correctly.
    pub both: u64,
    /// The number of utterances that both classify incorrectly.
    pub neither: u64,
    /// The keys of utterances that only the first classifies correctly.
    pub only_first: Vec<String>,
    /// The keys of utterances that only the second classifies correctly.
    pub only_second: Vec<String>,
    /// The difference in accuracy between the recognizers.
    pub accuracy: PairedDifference,
    /// The p-value of the exact `McNemar` test: the probability of such a difference between equally good recognizers.
    pub p: f64,
    /// The difference in the mean F1 between the recognizers.
    pub macro_f1: PairedDifference,
}

/// The improvement from the first to the second recognizer, with its 95% confidence interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct PairedDifference {
    /// The value of the first recognizer.
    pub first: f64,
    /// The value of the second recognizer.
    pub second: f64,
    /// The second value minus the first.
    pub difference: f64,
    /// The confidence interval of the difference.
    pub interval: Interval,
}

/// The name of a recognizer, its utterances, and the index of its readings.
type ReaderOf<'r> = (&'r str, &'r [UtteranceResult], usize);

impl PairedComparison {
    /// Compares two recognizers.
    pub(super) fn of(first: ReaderOf<'_>, second: ReaderOf<'_>, seed: u64) -> Self {
        let (first_name, first, first_reader) = first;
        let (second_name, second, second_reader) = second;
        let known: BTreeMap<&str, &UtteranceResult> =
            first.iter().map(|one| (&*one.key, one)).collect();
        let mut pairs: Vec<(&UtteranceResult, &UtteranceResult)> = Vec::new();
        for other in second
            .iter()
            .filter(|other| other.is_correct(second_reader).is_some())
        {
            let one = known
                .get(&*other.key)
                .filter(|one| one.is_correct(first_reader).is_some());
            pairs.extend(
                one.filter(|one| one.intent == other.intent)
                    .map(|one| (*one, other)),
            );
        }
        // Samples are drawn by index, so sort the utterances to make the samples independent of the original order.
        pairs.sort_by(|(one, _), (other, _)| one.key.cmp(&other.key));
        let mut counts = PairedCounts::default();
        let mut only_first = Vec::new();
        let mut only_second = Vec::new();
        for (one, other) in &pairs {
            let is_first = one.is_correct(first_reader) == Some(true);
            let is_second = other.is_correct(second_reader) == Some(true);
            counts.add(is_first, is_second);
            match (is_first, is_second) {
                (true, false) => only_first.push(one.key.clone()),
                (false, true) => only_second.push(other.key.clone()),
                _ => {}
            }
        }
        let of_first = IntentCounts::of(pairs.iter().map(|(one, _)| *one), first_reader);
        let of_second = IntentCounts::of(pairs.iter().map(|(_, other)| *other), second_reader);
        let all: Vec<usize> = (0..pairs.len()).collect();
        let f1 = (of_first.macro_f1(&all), of_second.macro_f1(&all));
        let apart = |sample: &[usize]| of_second.macro_f1(sample) - of_first.macro_f1(sample);
        let share = |part: u64| crate::statistics::Proportion::of(part, counts.all()).share;
        let only_in_second = second
            .iter()
            .filter(|other| !known.contains_key(&*other.key))
            .count();
        let united = (known.len() + only_in_second) as u64;
        Self {
            first: first_name.to_owned(),
            second: second_name.to_owned(),
            utterances: counts.all(),
            left_out: united.saturating_sub(counts.all()),
            both: counts.both,
            neither: counts.neither,
            accuracy: PairedDifference {
                first: share(counts.both + counts.only_first),
                second: share(counts.both + counts.only_second),
                difference: counts.difference(),
                interval: counts.interval(),
            },
            p: rounded(mcnemar(counts.only_first, counts.only_second)),
            macro_f1: PairedDifference {
                first: rounded(f1.0),
                second: rounded(f1.1),
                difference: rounded(f1.1 - f1.0),
                interval: Bootstrap::new(seed, pairs.len()).interval(apart),
            },
            only_first,
            only_second,
        }
    }

    /// The measures for which the second recognizer is worse: by more than `tolerance`, or, without a tolerance,
    /// significantly.
    pub fn falls(&self, tolerance: Option<f64>) -> Vec<(&'static str, PairedDifference)> {
        let has_fallen = |found: &PairedDifference| match tolerance {
            Some(tolerance) => found.difference < -tolerance - 1e-9,
            None => found.interval.high < 0.0,
        };
        let all = [("accuracy", self.accuracy), ("macro F1", self.macro_f1)];
        all.into_iter()
            .filter(|(_, found)| has_fallen(found))
            .collect()
    }
}
