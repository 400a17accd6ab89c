//! Scores of slot values.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::value_match::ValueMatch;
use crate::eval::utterance_result::{UtteranceReading, UtteranceResult};
use crate::statistics::{Proportion, real, rounded};

/// Scores of slot values, for utterances whose labels contain data.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SlotScores {
    /// The proportion of utterances with all values correct and none spurious.
    pub exact: Proportion,
    /// The proportion of correct values.
    pub correct: Proportion,
    /// The proportion of correct or partially correct values.
    pub partly: Proportion,
    /// The harmonic mean of the precision and the recall of values.
    pub f1: f64,
    /// The scores of each slot, by name.
    pub slots: Vec<SlotScore>,
}

/// The scores of a slot.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SlotScore {
    pub slot: String,
    /// The number of labeled values.
    pub support: u64,
    /// The number of correct values.
    pub correct: u64,
    /// The number of values that are incomplete or contain more than the label.
    pub partial: u64,
    /// The number of values that differ from the label.
    pub incorrect: u64,
    /// The number of labeled values that were not extracted.
    pub missing: u64,
    /// The number of extracted values that are not labeled.
    pub spurious: u64,
}

impl SlotScores {
    /// Scores the readings of a recognizer. Returns `None` if no label contains data.
    pub(super) fn of<'r>(
        read: impl Iterator<Item = (&'r UtteranceResult, &'r UtteranceReading)>,
    ) -> Option<Self> {
        let mut slots: BTreeMap<&str, SlotScore> = BTreeMap::new();
        let mut exact = 0;
        let mut utterances = 0;
        for (utterance, reading) in read {
            let Some(data) = &utterance.data else {
                continue;
            };
            let mut is_exact = true;
            for (slot, said) in data.iter().filter(|(_, said)| !said.is_null()) {
                let score = slots.entry(slot).or_default();
                score.support += 1;
                let matched = reading
                    .data
                    .get(slot)
                    .map(|read| ValueMatch::of(said, read));
                is_exact &= matched == Some(ValueMatch::Same);
                *match matched {
                    Some(ValueMatch::Same) => &mut score.correct,
                    Some(ValueMatch::Partial) => &mut score.partial,
                    Some(ValueMatch::Different) => &mut score.incorrect,
                    None => &mut score.missing,
                } += 1;
            }
            let is_said = |slot: &str| data.get(slot).is_some_and(|said| !said.is_null());
            for slot in reading.data.keys().filter(|slot| !is_said(slot)) {
                slots.entry(slot).or_default().spurious += 1;
                is_exact = false;
            }
            utterances += 1;
            exact += u64::from(is_exact);
        }
        if utterances == 0 {
            return None;
        }
        let sum = |count: fn(&SlotScore) -> u64| slots.values().map(count).sum::<u64>();
        let support = sum(|s| s.support);
        let correct = sum(|s| s.correct);
        let partial = sum(|s| s.partial);
        let all = support + support - sum(|s| s.missing) + sum(|s| s.spurious);
        let f1 = if all == 0 {
            1.0
        } else {
            rounded(2.0 * real(correct) / real(all))
        };
        let slots = slots.into_iter().map(|(slot, score)| SlotScore {
            slot: slot.to_owned(),
            ..score
        });
        Some(Self {
            exact: Proportion::of(exact, utterances),
            correct: Proportion::of(correct, support),
            partly: Proportion::of(correct + partial, support),
            f1,
            slots: slots.collect(),
        })
    }
}
