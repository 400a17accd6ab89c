//! What of a reading decides whether it is carried out (docs/models.md, "In doubt").

use std::sync::Arc;

use strum::IntoStaticStr;

use crate::machine::IntentId;

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

pub(crate) fn reaches(number: f64, limit: f64) -> bool {
    number >= limit - SLACK
}

/// How a reading from outside is taken that says how certain it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum ReadingDecision {
    /// It is carried out.
    Execute,
    /// It is asked whether this one was meant.
    Confirm,
    /// It is asked which one was meant.
    Disambiguate,
    /// It is too uncertain to be asked about: nothing was understood.
    Fallback,
}

impl ReadingDecision {
    /// The name, as traces write it.
    pub fn name(self) -> &'static str {
        self.into()
    }
}

/// How readings that come from outside are taken (docs/models.md, "In doubt"). All of it is configuration.
#[derive(Clone, Debug, Default)]
pub struct DisambiguationRules {
    /// How certain a reading must be.
    pub thresholds: ConfidenceThresholds,
    /// The most options that are offered, the last one (none of them) included.
    pub most_options: usize,
    /// The least confidence of an option.
    pub least_option: f64,
    /// Turns between two questions.
    pub cooldown: u32,
    /// Intents that are no option.
    pub excluded: Box<[Box<str>]>,
    /// Intents that stand beside others in one utterance, so that these make them no less certain.
    pub social: Box<[Box<str>]>,
    /// Intents that are carried out however uncertain they are.
    pub bypass: Box<[Box<str>]>,
    /// The question, where the configuration has one.
    pub question: Option<Arc<str>>,
    /// The intent of a turn that asks back.
    pub ambiguous: Option<IntentId>,
}
