//! The part of a recognizer's answer that decides whether it is accepted (docs/src/explanation/recognition.md).

use std::sync::Arc;

use strum::IntoStaticStr;

use crate::machine::IntentId;

/// The distance above the high threshold at which an answer is certain.
const CERTAIN_MARGIN: f64 = 0.10;
/// The maximum distance to assume if there is no alternative.
const MAX_SINGLE_DISTANCE: f64 = 0.5;
/// Confidences are decimal fractions, which floats only approximate: 0.85 - 0.65 is not exactly 0.20.
const SLACK: f64 = 1e-9;

/// The confidence thresholds for accepting an answer.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ConfidenceThresholds {
    /// From this confidence on, the answer is accepted if its distance to the next alternative is large enough.
    pub high: f64,
    /// A lower threshold with the same meaning.
    pub medium: f64,
    /// The utterance is unclear below this confidence.
    pub minimum: f64,
    /// The required distance to the next alternative.
    pub gap: f64,
}

/// The part of a recognizer's answer that decides how it is accepted, independent of the thresholds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RecognitionConfidence {
    pub confidence: f64,
    /// The confidence of the next alternative, if any.
    pub next: Option<f64>,
    /// Whether the answer is accepted at any confidence.
    pub is_exempt: bool,
    /// The options of a clarification question, the recognized intent first; empty if there is nothing to choose from.
    pub offered: Vec<Box<str>>,
}

impl RecognitionConfidence {
    /// The decision with these thresholds, if no question was asked recently. An answer without options is accepted.
    pub fn disposition(&self, thresholds: ConfidenceThresholds) -> ReadingDecision {
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

    /// The distance to the next alternative.
    pub fn distance(&self) -> f64 {
        self.next.map_or_else(
            || self.confidence.min(MAX_SINGLE_DISTANCE),
            |next| self.confidence - next,
        )
    }

    /// The confidence from which an answer is certain, for a high threshold.
    pub fn beyond(high: f64) -> f64 {
        high + CERTAIN_MARGIN
    }

    /// The highest value of the high threshold for which an answer with this confidence is certain.
    pub fn below(confidence: f64) -> f64 {
        confidence - CERTAIN_MARGIN
    }

    /// Whether a confidence or a distance reaches a limit, within the accuracy of floats.
    pub fn reaches(number: f64, limit: f64) -> bool {
        reaches(number, limit)
    }
}

pub(crate) fn reaches(number: f64, limit: f64) -> bool {
    number >= limit - SLACK
}

/// The decision about a recognizer's answer that has a confidence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum ReadingDecision {
    /// The answer is accepted.
    Execute,
    /// The user is asked to confirm the intent.
    Confirm,
    /// The user is asked to choose an intent.
    Disambiguate,
    /// The confidence is too low for a question: the utterance is unclear.
    Fallback,
}

impl ReadingDecision {
    /// The name in traces.
    pub fn name(self) -> &'static str {
        self.into()
    }
}

/// The rules for accepting answers of a recognizer (docs/src/explanation/recognition.md). All of them come from the
/// configuration.
#[derive(Clone, Debug, Default)]
pub struct DisambiguationRules {
    pub thresholds: ConfidenceThresholds,
    /// The score below which the recognizer by examples finds no intent, if the configuration sets it.
    pub none_below: Option<f64>,
    /// The maximum number of options, including the last option, "none of these".
    pub most_options: usize,
    /// The minimum confidence of an option.
    pub least_option: f64,
    /// The minimum number of turns between two questions.
    pub cooldown: u32,
    /// Intents that are never options.
    pub excluded: Box<[Box<str>]>,
    /// Intents that often accompany other intents in an utterance, so they do not reduce their confidence.
    pub social: Box<[Box<str>]>,
    /// Intents that are accepted at any confidence.
    pub bypass: Box<[Box<str>]>,
    /// The question, if the configuration has one.
    pub question: Option<Arc<str>>,
    /// The intent of a turn that asks for clarification.
    pub ambiguous: Option<IntentId>,
}
