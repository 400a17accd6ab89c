//! How well data is taken out of what was said.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::value_match::ValueMatch;
use crate::eval::utterance_result::{UtteranceReading, UtteranceResult};
use crate::statistics::{Proportion, real, rounded};

/// How well data is taken out of utterances whose labels tell it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SlotScores {
    /// The utterances of which all data is right, and none is invented.
    pub exact: Proportion,
    /// The values that are right.
    pub right: Proportion,
    /// The values that are right, or partly so.
    pub partly: Proportion,
    /// Of the values that were read, those that are right, and of the values that were said; their harmonic mean.
    pub f1: f64,
    /// Each slot, by name.
    pub slots: Vec<SlotScore>,
}

/// How well a slot is filled.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SlotScore {
    /// The slot.
    pub slot: String,
    /// Values that were said.
    pub labelled: u64,
    /// Those that were read right.
    pub right: u64,
    /// Those of which a part was read, or more than was said.
    pub partial: u64,
    /// Those in the place of which another one was read.
    pub wrong: u64,
    /// Those that were not read.
    pub missing: u64,
    /// Values that were read and not said.
    pub invented: u64,
}

impl SlotScores {
    /// Of what a reader read; nothing, where no label tells any data.
    pub(super) fn of<'r>(
        read: impl Iterator<Item = (&'r UtteranceResult, &'r UtteranceReading)>,
    ) -> Option<Self> {
        let mut slots: BTreeMap<&str, SlotScore> = BTreeMap::new();
        let (mut exact, mut utterances) = (0, 0);
        for (utterance, reading) in read {
            let Some(data) = &utterance.data else {
                continue;
            };
            let mut is_exact = true;
            for (slot, said) in data.iter().filter(|(_, said)| !said.is_null()) {
                let score = slots.entry(slot).or_default();
                score.labelled += 1;
                let matched = reading
                    .data
                    .get(slot)
                    .map(|read| ValueMatch::of(said, read));
                is_exact &= matched == Some(ValueMatch::Same);
                *match matched {
                    Some(ValueMatch::Same) => &mut score.right,
                    Some(ValueMatch::Partial) => &mut score.partial,
                    Some(ValueMatch::Different) => &mut score.wrong,
                    None => &mut score.missing,
                } += 1;
            }
            let is_said = |slot: &str| data.get(slot).is_some_and(|said| !said.is_null());
            for slot in reading.data.keys().filter(|slot| !is_said(slot)) {
                slots.entry(slot).or_default().invented += 1;
                is_exact = false;
            }
            utterances += 1;
            exact += u64::from(is_exact);
        }
        if utterances == 0 {
            return None;
        }
        let sum = |count: fn(&SlotScore) -> u64| slots.values().map(count).sum::<u64>();
        let (labelled, right, partial) =
            (sum(|s| s.labelled), sum(|s| s.right), sum(|s| s.partial));
        let all = labelled + labelled - sum(|s| s.missing) + sum(|s| s.invented);
        let f1 = if all == 0 {
            1.0
        } else {
            rounded(2.0 * real(right) / real(all))
        };
        let slots = slots.into_iter().map(|(slot, score)| SlotScore {
            slot: slot.to_owned(),
            ..score
        });
        Some(Self {
            exact: Proportion::of(exact, utterances),
            right: Proportion::of(right, labelled),
            partly: Proportion::of(right + partial, labelled),
            f1,
            slots: slots.collect(),
        })
    }
}
