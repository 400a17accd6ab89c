//! Which thresholds of the flow the readings imply.

use serde::{Deserialize, Serialize};

use super::judged_doubt::JudgedDoubt;
use super::threshold_search::ThresholdSearch;
use crate::statistics::{Proportion, rounded};
use fsmsim_core::engine::{ConfidenceThresholds, ReadingDecision};

/// What the thresholds of the flow come to, and which ones these readings imply.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ThresholdAdvice {
    /// Readings that say how certain they are.
    pub readings: u64,
    /// The share of what is carried out that may be wrong.
    pub most_wrong: f64,
    /// The thresholds as they are.
    pub present: ThresholdOutcome,
    /// Those by which most is carried out rightly, and no more is wrong than may be; nothing, where there are none.
    pub advised: Option<ThresholdOutcome>,
}

/// What thresholds come to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ThresholdOutcome {
    /// `high_confidence`.
    pub high_confidence: f64,
    /// `medium_confidence`.
    pub medium_confidence: f64,
    /// `min_confidence`.
    pub min_confidence: f64,
    /// `gap_threshold`.
    pub gap_threshold: f64,
    /// Readings that are carried out.
    pub executed: u64,
    /// Those of them that are wrong.
    pub wrong: Proportion,
    /// Readings about which it is asked whether they were meant.
    pub confirmed: u64,
    /// Readings about which it is asked which one was meant.
    pub disambiguated: u64,
    /// Questions in which what was meant is offered.
    pub offered: u64,
    /// Readings with which nothing was understood.
    pub fallback: u64,
}

impl ThresholdAdvice {
    /// Of these readings; nothing, where none says how certain it is.
    pub(super) fn of(
        readings: &[JudgedDoubt<'_>],
        present: ConfidenceThresholds,
        most_wrong: f64,
    ) -> Option<Self> {
        if readings.is_empty() {
            return None;
        }
        let advised = ThresholdSearch::new(readings, present, most_wrong).run();
        Some(Self {
            readings: readings.len() as u64,
            most_wrong: rounded(most_wrong),
            present: ThresholdOutcome::of(readings, present),
            advised: advised.map(|thresholds| ThresholdOutcome::of(readings, thresholds)),
        })
    }
}

impl ThresholdOutcome {
    fn of(readings: &[JudgedDoubt<'_>], thresholds: ConfidenceThresholds) -> Self {
        let mut counts = [0_u64; 4];
        let (mut wrong, mut offered) = (0, 0);
        for reading in readings {
            let taken = reading.doubt.taken(thresholds);
            let [executed, confirmed, disambiguated, fallback] = &mut counts;
            match taken {
                ReadingDecision::Execute => {
                    *executed += 1;
                    wrong += u64::from(!reading.is_right);
                }
                ReadingDecision::Confirm => *confirmed += 1,
                ReadingDecision::Disambiguate => *disambiguated += 1,
                ReadingDecision::Fallback => *fallback += 1,
            }
            offered += u64::from(reading.offers(taken));
        }
        let [executed, confirmed, disambiguated, fallback] = counts;
        Self {
            high_confidence: rounded(thresholds.high),
            medium_confidence: rounded(thresholds.medium),
            min_confidence: rounded(thresholds.minimum),
            gap_threshold: rounded(thresholds.gap),
            executed,
            wrong: Proportion::of(wrong, executed),
            confirmed,
            disambiguated,
            offered,
            fallback,
        }
    }

    /// The questions that are asked.
    pub fn asked(&self) -> u64 {
        self.confirmed + self.disambiguated
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fsmsim_core::engine::ReadingDoubt;

    fn doubt(confidence: f64, next: Option<f64>) -> ReadingDoubt {
        ReadingDoubt {
            confidence,
            next,
            is_exempt: false,
            offered: vec!["a".into(), "b".into()],
        }
    }

    fn judge(doubts: &[(ReadingDoubt, bool)]) -> Vec<JudgedDoubt<'_>> {
        let judged = doubts.iter().map(|(doubt, is_right)| JudgedDoubt {
            doubt,
            meant: if *is_right { "a" } else { "c" },
            is_right: *is_right,
        });
        judged.collect()
    }

    const PRESENT: ConfidenceThresholds = ConfidenceThresholds {
        high: 0.85,
        medium: 0.65,
        minimum: 0.3,
        gap: 0.2,
    };

    #[test]
    fn what_is_wrong_is_kept_below_a_limit_and_no_more_is_asked_than_needed() {
        // From 0.5 on all is right, below nothing is.
        let doubts: Vec<(ReadingDoubt, bool)> = (1..=19_u32)
            .map(|step| (doubt(f64::from(step) / 20.0, None), step >= 10))
            .collect();
        let found = ThresholdAdvice::of(&judge(&doubts), PRESENT, 0.0).unwrap();
        assert_eq!(
            (
                found.present.executed,
                found.present.disambiguated,
                found.present.fallback
            ),
            (7, 7, 5)
        );
        let advised = found.advised.unwrap();
        assert_eq!(
            (advised.executed, advised.wrong.part, advised.asked()),
            (10, 0, 0),
            "{advised:?}"
        );
        assert!(
            (advised.medium_confidence - 0.5).abs() < 1e-9,
            "{advised:?}"
        );
        assert!(advised.min_confidence <= advised.medium_confidence);
    }

    #[test]
    fn a_near_alternative_is_what_tells_right_from_wrong() {
        let doubts: Vec<(ReadingDoubt, bool)> = (0..10_u32)
            .map(|number| {
                (
                    doubt(0.8, Some(if number < 5 { 0.3 } else { 0.6 })),
                    number < 5,
                )
            })
            .collect();
        let advised = ThresholdAdvice::of(&judge(&doubts), PRESENT, 0.05)
            .unwrap()
            .advised
            .unwrap();
        assert_eq!(
            (advised.executed, advised.wrong.part),
            (5, 0),
            "{advised:?}"
        );
        assert!(advised.gap_threshold > 0.2, "{advised:?}");
    }

    #[test]
    fn where_everything_is_wrong_nothing_is_advised() {
        let doubts = [(doubt(0.9, None), false), (doubt(0.99, None), false)];
        let found = ThresholdAdvice::of(&judge(&doubts), PRESENT, 0.05).unwrap();
        assert_eq!(
            (
                found.present.executed,
                found.present.wrong.part,
                found.advised
            ),
            (2, 2, None)
        );
        assert_eq!(ThresholdAdvice::of(&[], PRESENT, 0.05), None);
    }
}
