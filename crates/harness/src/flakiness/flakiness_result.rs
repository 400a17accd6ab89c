//! The results that differ between trials.

use serde::{Deserialize, Serialize};

use super::share_interval::ShareInterval;
use crate::scenario::{AnswerTally, StateTally};

/// The results that differ between trials, by scenario, by state and by intent.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FlakinessResult {
    /// The number of runs.
    pub runs: u32,
    /// The scenarios whose trials are compared, by ID.
    pub scenarios: Vec<FlakyScenario>,
    /// The states with questions, by name.
    pub states: Vec<FlakyPart>,
    /// The recognized intents, by name: the most frequent one of each question.
    pub intents: Vec<FlakyPart>,
}

/// The trials of a scenario.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FlakyScenario {
    pub id: String,
    /// Trials in all runs.
    pub trials: u32,
    /// Trials that passed.
    pub passed: u32,
    /// Trials that failed. In the remaining ones a provider did not answer.
    pub failed: u32,
    /// The proportion of trials that passed, among those that passed or failed.
    pub passing: ShareInterval,
    /// The questions whose answers or resulting states differ.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub questions: Vec<FlakyQuestion>,
}

/// A question whose answers differ.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FlakyQuestion {
    /// The number of the turn.
    pub turn: u32,
    /// The state in which the turn started.
    pub state: String,
    /// The kind of the request.
    pub need: String,
    /// The entropy of the answers in bits: 0 if all are the same, 1 if two are equally frequent.
    pub entropy: f64,
    /// The answers, the most frequent first.
    pub answers: Vec<AnswerTally>,
    /// The resulting states, the most frequent first.
    pub to: Vec<StateTally>,
    /// Trials in which the turn failed.
    pub failed: u32,
}

/// The questions of a state, or those with an intent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FlakyPart {
    /// The state or the intent.
    pub name: String,
    /// The number of questions.
    pub questions: u32,
    /// Questions whose answers differ.
    pub differing: u32,
    /// Answers in all trials.
    pub answers: u64,
    /// The proportion of answers that are the most frequent one of their question.
    pub agreement: ShareInterval,
    /// The mean entropy of an answer, in bits.
    pub entropy: f64,
    /// Trials in which the turn failed.
    pub failed: u64,
}

impl FlakyScenario {
    /// Whether its trials differ.
    pub fn differs(&self) -> bool {
        !self.questions.is_empty() || (self.passed > 0 && self.failed > 0)
    }
}

impl FlakinessResult {
    /// The scenarios whose trials differ, those with the lowest pass rate first.
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
