//! What does not always come out the same.

use serde::{Deserialize, Serialize};

use super::share_interval::ShareInterval;
use crate::scenario::{AnswerTally, StateTally};

/// What does not always come out the same: by scenario, by state and by intent.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FlakinessResult {
    /// Runs that were looked at.
    pub runs: u32,
    /// The scenarios of which plays are compared, by address.
    pub scenarios: Vec<FlakyScenario>,
    /// The states in which somebody was asked, by name.
    pub states: Vec<FlakyPart>,
    /// The intents that were read, by name: of each question that which was read most often.
    pub intents: Vec<FlakyPart>,
}

/// The plays of a scenario.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FlakyScenario {
    /// Its address.
    pub id: String,
    /// Plays, of all runs together.
    pub plays: u32,
    /// Those that passed.
    pub passed: u32,
    /// Those that fell short; in the others nobody answered.
    pub failed: u32,
    /// The share of those that passed, of those that passed or fell short.
    pub passing: ShareInterval,
    /// What was asked and not always answered in the same way, or did not always lead to the same state.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub questions: Vec<FlakyQuestion>,
}

/// A question that was not always answered in the same way.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FlakyQuestion {
    /// The number of the turn.
    pub turn: u32,
    /// The state in which the turn began.
    pub state: String,
    /// What was needed.
    pub need: String,
    /// How uncertain the answer is, in bits: 0 where it is always the same, 1 where two come equally often.
    pub entropy: f64,
    /// The answers, the most frequent first.
    pub answers: Vec<AnswerTally>,
    /// The states to which the turn led, the most frequent first.
    pub to: Vec<StateTally>,
    /// Plays in which the turn was not as expected.
    pub failed: u32,
}

/// The questions of a state, or those that read an intent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FlakyPart {
    /// The state, or the intent.
    pub name: String,
    /// Questions.
    pub questions: u32,
    /// Those that were not always answered in the same way.
    pub differing: u32,
    /// Answers, of all plays together.
    pub answers: u64,
    /// The share of answers that were the most frequent of their question.
    pub agreement: ShareInterval,
    /// How uncertain an answer is on the average, in bits.
    pub entropy: f64,
    /// Plays in which the turn was not as expected.
    pub failed: u64,
}

impl FlakyScenario {
    /// Whether its plays did not all come out the same.
    pub fn differs(&self) -> bool {
        !self.questions.is_empty() || (self.passed > 0 && self.failed > 0)
    }
}

impl FlakinessResult {
    /// The scenarios whose plays did not all come out the same: those that passed least often first.
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
