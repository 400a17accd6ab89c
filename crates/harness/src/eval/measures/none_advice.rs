//! The suggested score below which the examples of a model recognize no intent.

use serde::{Deserialize, Serialize};

use crate::eval::dataset::NONE;
use crate::eval::utterance_result::{UtteranceReading, UtteranceResult};

/// The effect of the current minimum score, and of the suggested one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NoneAdvice {
    /// The number of utterances that were compared with the examples.
    pub utterances: u64,
    pub present: NoneOutcome,
    /// The score with the largest number of correct readings. Of equal ones, the closest to the current score.
    pub advised: NoneOutcome,
}

/// The effect of a minimum score.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct NoneOutcome {
    /// `none_below`.
    pub none_below: f64,
    /// The number of correct readings.
    pub correct: u64,
}

impl NoneAdvice {
    /// Calculates the advice for readings by examples. Returns `None` without such readings.
    pub(super) fn of<'r>(
        readings: impl Iterator<Item = (&'r UtteranceResult, &'r UtteranceReading)>,
        present: f64,
    ) -> Option<Self> {
        let compared: Vec<(f64, &str, &str)> = readings
            .filter_map(|(utterance, reading)| {
                let (nearest, score) = reading.nearest.as_ref()?;
                Some((*score, &**nearest, &*utterance.intent))
            })
            .collect();
        let outcome = |none_below: f64| {
            let is_correct = |(score, nearest, meant): &&(f64, &str, &str)| {
                *meant == if *score < none_below { NONE } else { *nearest }
            };
            NoneOutcome {
                none_below,
                correct: compared.iter().filter(is_correct).count() as u64,
            }
        };
        let candidates = (0..=100_u32).map(|hundredth| f64::from(hundredth) / 100.0);
        let rank = |found: &NoneOutcome| (found.correct, -(found.none_below - present).abs());
        let advised = candidates.map(outcome).chain([outcome(present)]);
        let advised = advised.reduce(|best, next| {
            if rank(&next) > rank(&best) {
                next
            } else {
                best
            }
        })?;
        (!compared.is_empty()).then(|| Self {
            utterances: compared.len() as u64,
            present: outcome(present),
            advised,
        })
    }
}
