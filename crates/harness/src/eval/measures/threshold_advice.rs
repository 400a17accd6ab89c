//! Suggested thresholds for the flow.

use serde::{Deserialize, Serialize};

use super::scored_interpretation::ScoredInterpretation;
use super::threshold_search::ThresholdSearch;
use crate::statistics::{Proportion, rounded};
use fsmsim_core::engine::{ConfidenceThresholds, ReadingDecision};

/// The effect of the current thresholds, and suggested thresholds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ThresholdAdvice {
    /// The number of readings that have a confidence.
    pub readings: u64,
    /// The maximum proportion of incorrect readings among the accepted ones.
    pub max_incorrect: f64,
    /// The effect of the current thresholds.
    pub present: ThresholdOutcome,
    /// The thresholds that accept the largest number of correct readings within the limit `max_incorrect`; `None` if no thresholds
    /// stay within it.
    pub advised: Option<ThresholdOutcome>,
}

/// The effect of thresholds on the readings.
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
    /// The number of accepted readings.
    pub executed: u64,
    /// The proportion of incorrect readings among the accepted ones.
    pub incorrect: Proportion,
    /// The number of readings that need confirmation.
    pub confirmed: u64,
    /// The number of readings that need disambiguation.
    pub disambiguated: u64,
    /// The number of clarification questions that offer the labeled intent.
    pub offered: u64,
    /// The number of rejected readings.
    pub fallback: u64,
}

impl ThresholdAdvice {
    /// Calculates the advice for these readings. Returns `None` without readings.
    pub(super) fn of(
        readings: &[ScoredInterpretation<'_>],
        present: ConfidenceThresholds,
        max_incorrect: f64,
    ) -> Option<Self> {
        if readings.is_empty() {
            return None;
        }
        let advised = ThresholdSearch::new(readings, present, max_incorrect).run();
        Some(Self {
            readings: readings.len() as u64,
            max_incorrect: rounded(max_incorrect),
            present: ThresholdOutcome::of(readings, present),
            advised: advised.map(|thresholds| ThresholdOutcome::of(readings, thresholds)),
        })
    }
}

impl ThresholdOutcome {
    fn of(readings: &[ScoredInterpretation<'_>], thresholds: ConfidenceThresholds) -> Self {
        let mut counts = [0_u64; 4];
        let mut incorrect = 0;
        let mut offered = 0;
        for reading in readings {
            let disposition = reading.doubt.disposition(thresholds);
            let [executed, confirmed, disambiguated, fallback] = &mut counts;
            match disposition {
                ReadingDecision::Execute => {
                    *executed += 1;
                    incorrect += u64::from(!reading.is_correct);
                }
                ReadingDecision::Confirm => *confirmed += 1,
                ReadingDecision::Disambiguate => *disambiguated += 1,
                ReadingDecision::Fallback => *fallback += 1,
            }
            offered += u64::from(reading.offers(disposition));
        }
        let [executed, confirmed, disambiguated, fallback] = counts;
        Self {
            high_confidence: rounded(thresholds.high),
            medium_confidence: rounded(thresholds.medium),
            min_confidence: rounded(thresholds.minimum),
            gap_threshold: rounded(thresholds.gap),
            executed,
            incorrect: Proportion::of(incorrect, executed),
            confirmed,
            disambiguated,
            offered,
            fallback,
        }
    }

    /// The number of clarification questions.
    pub fn asked(&self) -> u64 {
        self.confirmed + self.disambiguated
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fsmsim_core::engine::RecognitionConfidence;

    fn doubt(confidence: f64, next: Option<f64>) -> RecognitionConfidence {
        RecognitionConfidence {
            confidence,
            next,
            is_exempt: false,
            offered: vec!["a".into(), "b".into()],
        }
    }

    fn judge(doubts: &[(RecognitionConfidence, bool)]) -> Vec<ScoredInterpretation<'_>> {
        let judged = doubts
            .iter()
            .map(|(doubt, is_correct)| ScoredInterpretation {
                doubt,
                meant: if *is_correct { "a" } else { "c" },
                is_correct: *is_correct,
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
    fn advice_keeps_errors_below_the_limit_with_few_questions() {
        // From confidence 0.5 upwards, all readings are correct; below it, all are incorrect.
        let doubts: Vec<(RecognitionConfidence, bool)> = (1..=19_u32)
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
            (advised.executed, advised.incorrect.part, advised.asked()),
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
    fn gap_to_the_next_alternative_separates_right_from_wrong() {
        let doubts: Vec<(RecognitionConfidence, bool)> = (0..10_u32)
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
            (advised.executed, advised.incorrect.part),
            (5, 0),
            "{advised:?}"
        );
        assert!(advised.gap_threshold > 0.2, "{advised:?}");
    }

    #[test]
    fn no_thresholds_are_advised_if_every_reading_is_wrong() {
        let doubts = [(doubt(0.9, None), false), (doubt(0.99, None), false)];
        let found = ThresholdAdvice::of(&judge(&doubts), PRESENT, 0.05).unwrap();
        assert_eq!(
            (
                found.present.executed,
                found.present.incorrect.part,
                found.advised
            ),
            (2, 2, None)
        );
        assert_eq!(ThresholdAdvice::of(&[], PRESENT, 0.05), None);
    }
}
