//! Two readers side by side, over the utterances that both have read.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::measures::IntentCounts;
use super::utterance_result::UtteranceResult;
use crate::statistics::{Bootstrap, Interval, PairedCounts, mcnemar, rounded};

/// Two readers side by side, over the utterances that both have read.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PairedComparison {
    /// The first reader.
    pub first: String,
    /// The second.
    pub second: String,
    /// The utterances that both were asked about, with the same label.
    pub utterances: u64,
    /// The utterances that are left out: only one was asked about them, or the label is another one.
    pub left_out: u64,
    /// How many both have right.
    pub both: u64,
    /// How many neither has right.
    pub neither: u64,
    /// The utterances that only the first has right, by what they are known by.
    pub only_first: Vec<String>,
    /// The utterances that only the second has right.
    pub only_second: Vec<String>,
    /// By how much the second is right oftener.
    pub accuracy: PairedDifference,
    /// How often two that are equally good would differ so much, by the exact test of `McNemar`.
    pub p: f64,
    /// By how much the mean F1 of the second is higher.
    pub macro_f1: PairedDifference,
}

/// By how much the second is better, and where that probably is (95 %).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct PairedDifference {
    /// The first.
    pub first: f64,
    /// The second.
    pub second: f64,
    /// The second without the first.
    pub difference: f64,
    /// Where that probably is.
    pub interval: Interval,
}

/// What a reader made of utterances: the utterances, and which of their readings it is.
pub(super) type ReaderOf<'r> = (&'r str, &'r [UtteranceResult], usize);

impl PairedComparison {
    /// Compares two readers.
    pub(super) fn of(first: ReaderOf<'_>, second: ReaderOf<'_>, seed: u64) -> Self {
        let (first_name, first, first_reader) = first;
        let (second_name, second, second_reader) = second;
        let known: BTreeMap<&str, &UtteranceResult> =
            first.iter().map(|one| (&*one.key, one)).collect();
        let mut pairs: Vec<(&UtteranceResult, &UtteranceResult)> = Vec::new();
        for other in second
            .iter()
            .filter(|other| other.is_right(second_reader).is_some())
        {
            let one = known
                .get(&*other.key)
                .filter(|one| one.is_right(first_reader).is_some());
            pairs.extend(
                one.filter(|one| one.intent == other.intent)
                    .map(|one| (*one, other)),
            );
        }
        // Samples are drawn by number: the utterances stand in one order, wherever they stood.
        pairs.sort_by(|(one, _), (other, _)| one.key.cmp(&other.key));
        let mut counts = PairedCounts::default();
        let (mut only_first, mut only_second) = (Vec::new(), Vec::new());
        for (one, other) in &pairs {
            let (is_first, is_second) = (
                one.is_right(first_reader) == Some(true),
                other.is_right(second_reader) == Some(true),
            );
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

    /// What the second is worse in than the first: by more than `tolerance`, or, where none is given, surely.
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
