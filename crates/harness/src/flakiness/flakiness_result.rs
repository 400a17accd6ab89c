//! The results that differ between trials.

use serde::{Deserialize, Serialize};

use super::share_interval::ShareInterval;
use crate::scenario::{AnswerTally, StateTally};

/// The results that differ between trials, by scenario, by state and by intent.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FlakinessResult {
    /// The number of runs.
    pub runs: u32,
    /// The scenarios whose trials are compared, sorted by ID.
    pub scenarios: Vec<FlakyScenario>,
    /// The states in which requests were made, by name.
    pub states: Vec<FlakyPart>,
    /// The recognized intents by name: for each request, the most frequent intent.
    pub intents: Vec<FlakyPart>,
}

/// The trials of one scenario.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FlakyScenario {
    pub id: String,
    /// The number of trials in all runs.
    pub trials: u32,
    /// The number of trials that passed.
    pub passed: u32,
    /// The number of trials that failed. In the remaining trials, a provider did not answer.
    pub failed: u32,
    /// The proportion of trials that passed, among those that passed or failed.
    pub passing: ShareInterval,
    /// The requests whose answers or resulting states differ.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub questions: Vec<FlakyQuestion>,
}

/// A request that got different answers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FlakyQuestion {
    /// The number of the turn.
    pub turn: u32,
    /// The state in which the turn started.
    pub state: String,
    /// The kind of request.
    pub need: String,
    /// The entropy of the answers in bits: 0 if all are the same, 1 if two are equally frequent.
    pub entropy: f64,
    /// The answers, the most frequent first.
    pub answers: Vec<AnswerTally>,
    /// The resulting states, the most frequent first.
    pub to: Vec<StateTally>,
    /// The number of trials in which the turn failed.
    pub failed: u32,
}

/// The requests made in a state, or those with an intent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FlakyPart {
    /// The name of the state or intent.
    pub name: String,
    /// The number of requests.
    pub questions: u32,
    /// The number of requests that got different answers.
    pub differing: u32,
    /// The number of answers in all trials.
    pub answers: u64,
    /// The proportion of answers that equal the most frequent answer to their request.
    pub agreement: ShareInterval,
    /// The mean entropy per answer, in bits.
    pub entropy: f64,
    /// The number of trials in which the turn failed.
    pub failed: u64,
}

impl FlakyScenario {
    /// Whether the trials differ.
    pub fn differs(&self) -> bool {
        !self.questions.is_empty() || (self.passed > 0 && self.failed > 0)
    }
}

impl FlakinessResult {
    /// The scenarios whose trials differ, with the lowest pass rate first.
    pub fn differing(&self) -> Vec<&FlakyScenario> {
        let mut differing: Vec<&FlakyScenario> =
            self.scenarios.iter().filter(|one| one.differs()).collect();
        differing.sort_by(|one, other| {
            one.passing
                .share
                .total_cmp(&other.passing.share)
                .then(one.id.cmp(&other.id))
        });
        differing
    }
}
