//! What became of a labelled utterance.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use super::labelled::{LabelledUtterance, NONE};
use fsmsim_adapters::llm::NEAREST_AT_MOST;

/// What became of a labelled utterance.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct UtteranceResult {
    /// What it is known by.
    pub key: String,
    /// Where it is written.
    pub at: String,
    /// What is said.
    pub say: String,
    /// The state in which it is said.
    pub state: String,
    /// The language.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lang: Option<String>,
    /// Words by which it is chosen.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// What is meant.
    pub intent: String,
    /// What is meant besides, where the label says so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub also: Option<Vec<String>>,
    /// What is told, where the label says so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub data: Option<BTreeMap<String, Json>>,
    /// How it was read, by each reader.
    pub readings: Vec<UtteranceReading>,
}

/// How a reader read an utterance.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct UtteranceReading {
    /// What it was read as; nothing, where nobody read it.
    pub intent: Option<String>,
    /// Who read it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// How certain that is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confidence: Option<f64>,
    /// Whoever read it says, as it is asked to say so, that no intent fits: the intent is only the nearest one, or the one for
    /// what is not clear.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub fits_nothing: bool,
    /// What else it may mean.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub alternatives: Vec<LikelyIntent>,
    /// What was read besides.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub also: Vec<String>,
    /// What was taken out of it, by slot.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub data: BTreeMap<String, Json>,
    /// How a dialogue takes the reading, where that says how certain it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub taken: Option<String>,
    /// Somebody was asked and could not be reached, or gave no answer that can be used.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unanswered: bool,
    /// Attempts that came to nothing.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failed: Vec<FailedAsk>,
    /// How long a live model took, in milliseconds, with all its attempts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ms: Option<u64>,
}

/// Something that may be meant.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LikelyIntent {
    /// The intent.
    pub intent: String,
    /// How certain that is.
    pub confidence: f64,
}

/// An attempt that came to nothing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FailedAsk {
    /// Who was asked.
    pub by: String,
    /// What happened.
    pub why: String,
}

impl UtteranceResult {
    pub(super) fn new(utterance: &LabelledUtterance, readings: Vec<UtteranceReading>) -> Self {
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

    /// Whether a reader has it right; nothing, where there is no such reader or nobody could be asked.
    pub fn is_right(&self, reader: usize) -> Option<bool> {
        Some(self.reading(reader)?.label() == self.intent)
    }

    /// What a reader made of it; nothing, where there is no such reader or nobody could be asked.
    pub(super) fn reading(&self, reader: usize) -> Option<&UtteranceReading> {
        let reading = self.readings.get(reader);
        reading.filter(|reading| !reading.unanswered)
    }

    /// Whether a reading, carried out, does what is meant; the nearest intent where none fits does not.
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
    /// What it was read as, as a label.
    pub fn label(&self) -> &str {
        self.intent
            .as_deref()
            .filter(|_| !self.fits_nothing)
            .unwrap_or(NONE)
    }
}

/// A value as reports write it.
pub(super) fn json_of(value: &fsmsim_core::machine::Value) -> Json {
    serde_json::to_value(value).unwrap_or_default()
}
