//! What of a reading decides whether it is carried out (docs/models.md, "In doubt").

use super::reading_decision::ReadingDecision;

/// How far a confidence must be above the high one for a reading to be beyond doubt.
const BEYOND_DOUBT: f64 = 0.10;
/// The distance that stands for that to another reading where there is none.
const LONELY: f64 = 0.5;
/// Confidences are decimal fractions, which floats only come near to: 0.85 is 0.20 above 0.65.
const SLACK: f64 = 1e-9;

/// How certain a reading must be.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ConfidenceThresholds {
    /// A confidence from which the reading is carried out where its distance to the next one is large enough.
    pub high: f64,
    /// A lower such confidence.
    pub medium: f64,
    /// The confidence below which nothing was understood.
    pub minimum: f64,
    /// The distance to the next reading that is large enough.
    pub gap: f64,
}

/// What of a reading decides how it is taken, whatever the thresholds are.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ReadingDoubt {
    /// How certain it is.
    pub confidence: f64,
    /// How certain the next one is, where there is one.
    pub next: Option<f64>,
    /// It is carried out, however certain it is.
    pub is_exempt: bool,
    /// What would be offered, the reading itself first; nothing, where nothing is to choose from.
    pub offered: Vec<Box<str>>,
}

impl ReadingDoubt {
    /// How it is taken by these thresholds, where no question was asked shortly before. What cannot be asked about is carried
    /// out.
    pub fn taken(&self, thresholds: ConfidenceThresholds) -> ReadingDecision {
        let ConfidenceThresholds {
            high,
            medium,
            minimum,
            gap,
        } = thresholds;
        if self.is_exempt || reaches(self.confidence, Self::beyond(high)) {
            return ReadingDecision::Execute;
        }
        let distance = self.distance();
        let asked = if reaches(self.confidence, high.min(medium)) {
            if reaches(distance, gap) {
                ReadingDecision::Execute
            } else {
                ReadingDecision::Confirm
            }
        } else if reaches(self.confidence, minimum) {
            ReadingDecision::Disambiguate
        } else {
            return ReadingDecision::Fallback;
        };
        if self.offered.is_empty() {
            ReadingDecision::Execute
        } else {
            asked
        }
    }

    /// How far it is from the next one.
    pub fn distance(&self) -> f64 {
        self.next.map_or_else(
            || self.confidence.min(LONELY),
            |next| self.confidence - next,
        )
    }

    /// The confidence from which a reading is beyond doubt where this one is high.
    pub fn beyond(high: f64) -> f64 {
        high + BEYOND_DOUBT
    }

    /// The highest that a high confidence may be where readings of this one are beyond doubt.
    pub fn below(confidence: f64) -> f64 {
        confidence - BEYOND_DOUBT
    }

    /// Whether a confidence or a distance is large enough.
    pub fn reaches(number: f64, limit: f64) -> bool {
        reaches(number, limit)
    }
}

pub(in crate::engine) fn reaches(number: f64, limit: f64) -> bool {
    number >= limit - SLACK
}
