//! Counts the results and answers in the trials of a scenario.

use crate::limits::MAX_ANSWERS;
use serde::{Deserialize, Serialize};

/// The name under which all other answers are counted together.
const OTHERS: &str = "other answers";

/// The results of a scenario's trials, and the answers to each request.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrialTally {
    /// The number of trials that were counted.
    pub trials: u32,
    /// The number of trials that passed.
    pub passed: u32,
    /// The number of trials that failed.
    pub failed: u32,
    /// The requests, sorted by turn, state and need.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub questions: Vec<QuestionTally>,
}

/// The answers to a request, which is identified by its turn, the state in which the turn started, and the need.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct QuestionTally {
    /// The number of the turn.
    pub turn: u32,
    /// The state in which the turn started.
    pub state: String,
    /// The kind of request; `classify 2` is the second such request in a turn.
    pub need: String,
    /// The answers, the most frequent first.
    pub answers: Vec<AnswerTally>,
    /// The resulting states, the most frequent first.
    pub to: Vec<StateTally>,
    /// The number of trials in which the turn failed.
    #[serde(default, skip_serializing_if = "fsmsim_syntax::document::is_default")]
    pub failed: u32,
}

/// The number of trials that got this answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AnswerTally {
    pub answer: String,
    /// The intent that the answer contains.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub intent: Option<String>,
    pub trials: u32,
}

/// The number of trials that resulted in this state.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StateTally {
    pub state: String,
    pub trials: u32,
}

impl TrialTally {
    /// A single trial of which only the result is known. `None` means that it has no result.
    pub fn once(passed: Option<bool>) -> Self {
        let is = |wanted| u32::from(passed == Some(wanted));
        Self {
            trials: 1,
            passed: is(true),
            failed: is(false),
            questions: Vec::new(),
        }
    }

    /// Adds other trials of the same scenario.
    pub fn add(&mut self, other: &Self) {
        self.trials = self.trials.saturating_add(other.trials);
        self.passed = self.passed.saturating_add(other.passed);
        self.failed = self.failed.saturating_add(other.failed);
        for question in &other.questions {
            self.add_question(question);
        }
    }

    fn add_question(&mut self, other: &QuestionTally) {
        let place = |known: &QuestionTally| {
            (known.turn, &known.state, &known.need).cmp(&(other.turn, &other.state, &other.need))
        };
        match self.questions.binary_search_by(place) {
            Ok(at) => {
                if let Some(known) = self.questions.get_mut(at) {
                    known.add(other);
                }
            }
            Err(at) => self.questions.insert(at, other.clone()),
        }
    }
}

impl QuestionTally {
    fn add(&mut self, other: &Self) {
        for answer in &other.answers {
            let is_it = |known: &&mut AnswerTally| known.answer == answer.answer;
            if let Some(known) = self.answers.iter_mut().find(is_it) {
                known.trials = known.trials.saturating_add(answer.trials);
            } else if self.answers.len() < MAX_ANSWERS {
                self.answers.push(answer.clone());
            } else if let Some(others) =
                self.answers.iter_mut().find(|known| known.answer == OTHERS)
            {
                others.trials = others.trials.saturating_add(answer.trials);
            } else {
                self.answers.push(AnswerTally {
                    answer: OTHERS.to_owned(),
                    intent: None,
                    trials: answer.trials,
                });
            }
        }
        for to in &other.to {
            match self.to.iter_mut().find(|known| known.state == to.state) {
                Some(known) => known.trials = known.trials.saturating_add(to.trials),
                None => self.to.push(to.clone()),
            }
        }
        self.failed = self.failed.saturating_add(other.failed);
        self.answers
            .sort_by(|one, other| (other.trials, &one.answer).cmp(&(one.trials, &other.answer)));
        self.to
            .sort_by(|one, other| (other.trials, &one.state).cmp(&(one.trials, &other.state)));
    }

    /// The number of answers, including missing answers.
    pub fn trials(&self) -> u32 {
        self.answers
            .iter()
            .fold(0, |sum, answer| sum.saturating_add(answer.trials))
    }

    /// Whether the answers or the resulting states differ.
    pub fn differs(&self) -> bool {
        self.answers.len() > 1 || self.to.len() > 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tally(answers: &[&str]) -> TrialTally {
        let mut tally = TrialTally::default();
        for answer in answers {
            let answer = AnswerTally {
                answer: (*answer).to_owned(),
                intent: None,
                trials: 1,
            };
            tally.add_question(&QuestionTally {
                turn: 1,
                state: "a".into(),
                need: "classify".to_owned(),
                answers: vec![answer],
                to: vec![StateTally {
                    state: "b".into(),
                    trials: 1,
                }],
                failed: 0,
            });
        }
        tally
    }

    #[test]
    fn trials_add_up_in_any_order() {
        let (one, other) = (tally(&["x", "y", "x"]), tally(&["z", "y"]));
        let (mut sum, mut turned) = (one.clone(), other.clone());
        sum.add(&other);
        turned.add(&one);
        assert_eq!(sum, turned);
        let said: Vec<(&str, u32)> = sum.questions[0]
            .answers
            .iter()
            .map(|answer| (&*answer.answer, answer.trials))
            .collect();
        assert_eq!(said, [("x", 2), ("y", 2), ("z", 1)]);
        assert!(sum.questions[0].differs() && !tally(&["x", "x"]).questions[0].differs());
    }

    #[test]
    fn number_of_answers_is_limited() {
        let many: Vec<String> = (0..1_000).map(|number| number.to_string()).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        let tally = tally(&many);
        assert_eq!(
            (
                tally.questions[0].answers.len(),
                tally.questions[0].trials()
            ),
            (MAX_ANSWERS + 1, 1_000)
        );
    }
}
