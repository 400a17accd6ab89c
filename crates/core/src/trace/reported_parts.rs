//! The parts of a report that are records themselves.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// An effect of a turn.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ReportedEffect {
    /// Its name.
    pub effect: String,
    /// The state to which it belongs.
    pub state: String,
    /// The data with which it was performed.
    pub payload: Value,
    /// `allowed` or `denied`.
    pub verdict: String,
    /// What the world did; nothing if a gate denied it.
    pub outcome: Option<String>,
    /// Why it was denied, or how the answer breaks its schema.
    pub why: Option<String>,
}

/// A proposal that lost.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct LostProposal {
    /// `action` or `transition`.
    pub kind: Value,
    /// The action, or the state.
    pub value: Value,
    /// The source.
    pub by: Value,
    /// The reason.
    pub why: Value,
    /// Where its rule is written.
    #[serde(rename(deserialize = "rule"))]
    pub at: Value,
}

/// An answer from outside.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ReportedAnswer {
    /// The effect that it answers.
    pub effect: Option<String>,
    /// Which of the effects of this kind it answers, from 0.
    pub index: usize,
    /// The answer.
    pub answer: Option<Value>,
}

/// A point of an interview.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ReportedPoint {
    /// Its name.
    pub id: String,
    /// How far it is.
    pub state: String,
    /// The confidence in what is known, from 0 to 1.
    pub confidence: f64,
    /// The answers to it.
    pub answers: Vec<Value>,
}

impl ReportedEffect {
    /// A value of the payload; null if it has none.
    pub fn given(&self, key: &str) -> &Value {
        self.payload.get(key).unwrap_or(&Value::Null)
    }

    /// Whether the world performed it.
    pub fn is_done(&self) -> bool {
        self.outcome.as_deref() == Some("done")
    }

    /// Whether a gate denied it.
    pub fn is_denied(&self) -> bool {
        self.verdict == "denied"
    }
}
