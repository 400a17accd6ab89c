//! The result of a labeled utterance.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use super::dataset::{DatasetUtterance, NONE};
use fsmsim_adapters::llm::NEAREST_AT_MOST;

/// The result of a labeled utterance.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct UtteranceResult {
    pub key: String,
    /// The location in the file.
    pub at: String,
    /// The utterance.
    pub say: String,
    pub state: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lang: Option<String>,
    /// Tags to filter by.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// The labeled intent.
    pub intent: String,
    /// The secondary intents, if they are labeled.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub also: Option<Vec<String>>,
    /// The slot values, if they are labeled.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub data: Option<BTreeMap<String, Json>>,
    /// The reading of each recognizer.
    pub readings: Vec<UtteranceReading>,
}

/// How a recognizer read an utterance.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct UtteranceReading {
    /// The recognized intent, if any.
    pub intent: Option<String>,
    /// The recognizer that answered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// The confidence of the intent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confidence: Option<f64>,
    /// The example of the intent that is closest to the utterance.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub closest: Option<String>,
    /// The intent of the closest example and its score, if the examples were compared. With a low score, `intent` is
    /// not set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nearest: Option<(String, f64)>,
    /// The recognizer reported, as its prompt instructs, that no intent fits. Then `intent` is only the nearest intent,
    /// or the `unclear` intent.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub fits_nothing: bool,
    /// Alternative intents.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub alternatives: Vec<LikelyIntent>,
    /// Secondary intents.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub also: Vec<String>,
    /// The extracted values by slot.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub data: BTreeMap<String, Json>,
    /// How a dialogue would handle the reading, if it has a confidence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub disposition: Option<String>,
    /// A recognizer was called, but it was unreachable or gave no usable answer.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unanswered: bool,
    /// The attempts that failed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failed: Vec<FailedAsk>,
    /// The latency of a live model in milliseconds, including all attempts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ms: Option<u64>,
}

/// An alternative intent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LikelyIntent {
    pub intent: String,
    /// The confidence of the intent.
    pub confidence: f64,
}

/// A failed attempt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FailedAsk {
    /// The provider that was called.
    pub by: String,
    /// The reason for the failure.
    pub why: String,
}

impl UtteranceResult {
    pub(super) fn new(utterance: &DatasetUtterance, readings: Vec<UtteranceReading>) -> Self {
        let data = utterance.data.as_ref();
        Self {
            key: utterance.key.clone(),
            at: utterance.at.clone(),
            say: utterance.say.to_string(),
            state: utterance.state.clone(),
            lang: utterance.lang.clone(),
            tags: utterance.tags.clone(),
            intent: utterance.intent.clone(),
            also: utterance.also.clone(),
            data: data.map(|data| {
                data.iter()
                    .map(|(name, value)| (name.clone(), json_of(value)))
                    .collect()
            }),
            readings,
        }
    }

    /// Whether a recognizer is correct; `None` if the recognizer is unknown or did not answer.
    pub fn is_correct(&self, reader: usize) -> Option<bool> {
        Some(self.reading(reader)?.label() == self.intent)
    }

    /// The reading of a recognizer; `None` if the recognizer is unknown or did not answer.
    pub(super) fn reading(&self, reader: usize) -> Option<&UtteranceReading> {
        let reading = self.readings.get(reader);
        reading.filter(|reading| !reading.unanswered)
    }

    /// Whether accepting a reading would be correct. If no intent fits and the nearest one is given, only that intent
    /// is correct.
    pub(super) fn is_meant(&self, reading: &UtteranceReading) -> bool {
        let is_nearest = reading.fits_nothing
            && reading
                .confidence
                .is_some_and(|share| share <= NEAREST_AT_MOST);
        if is_nearest {
            reading.intent.as_ref() == Some(&self.intent)
        } else {
            reading.label() == self.intent
        }
    }
}

impl UtteranceReading {
    /// The recognized intent as a label.
    pub fn label(&self) -> &str {
        self.intent
            .as_deref()
            .filter(|_| !self.fits_nothing)
            .unwrap_or(NONE)
    }
}

/// A value as reports store it.
pub(super) fn json_of(value: &fsmsim_core::machine::Value) -> Json {
    serde_json::to_value(value).unwrap_or_default()
}
