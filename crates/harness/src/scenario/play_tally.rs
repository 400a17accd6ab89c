//! What the plays of a scenario had in common.

use crate::limits::MAX_ANSWERS;
use serde::{Deserialize, Serialize};

/// What stands for answers that are not told apart.
const OTHERS: &str = "other answers";

/// What the plays of a scenario came to, and what was said in them, question by question.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlayTally {
    /// Plays that are counted.
    pub plays: u32,
    /// Those that passed.
    pub passed: u32,
    /// Those that fell short.
    pub failed: u32,
    /// What was asked, by turn, state and need.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub questions: Vec<QuestionTally>,
}

/// What was said to one question: what is needed in a turn that begins in a state.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct QuestionTally {
    /// The number of the turn.
    pub turn: u32,
    /// The state in which the turn began.
    pub state: String,
    /// What was needed.
    pub need: String,
    /// The answers, the most frequent first.
    pub answers: Vec<AnswerTally>,
    /// The states to which the turn led, the most frequent first.
    pub to: Vec<StateTally>,
    /// Plays in which the turn was not as expected.
    #[serde(default, skip_serializing_if = "is_none")]
    pub failed: u32,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "as serde wants it")]
fn is_none(count: &u32) -> bool {
    *count == 0
}

/// How often something was said.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AnswerTally {
    /// What was said.
    pub answer: String,
    /// The intent that it reads.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub intent: Option<String>,
    /// In so many plays.
    pub plays: u32,
}

/// How often a turn led to a state.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StateTally {
    /// The state.
    pub state: String,
    /// In so many plays.
    pub plays: u32,
}

impl PlayTally {
    /// One play of which only is known whether it passed; nothing where nobody could say.
    pub fn once(passed: Option<bool>) -> Self {
        let is = |wanted| u32::from(passed == Some(wanted));
        Self {
            plays: 1,
            passed: is(true),
            failed: is(false),
            questions: Vec::new(),
        }
    }

    /// Adds other plays of the same scenario.
    pub fn add(&mut self, other: &Self) {
        self.plays = self.plays.saturating_add(other.plays);
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
                known.plays = known.plays.saturating_add(answer.plays);
            } else if self.answers.len() < MAX_ANSWERS {
                self.answers.push(answer.clone());
            } else if let Some(others) =
                self.answers.iter_mut().find(|known| known.answer == OTHERS)
            {
                others.plays = others.plays.saturating_add(answer.plays);
            } else {
                self.answers.push(AnswerTally {
                    answer: OTHERS.to_owned(),
                    intent: None,
                    plays: answer.plays,
                });
            }
        }
        for to in &other.to {
            match self.to.iter_mut().find(|known| known.state == to.state) {
                Some(known) => known.plays = known.plays.saturating_add(to.plays),
                None => self.to.push(to.clone()),
            }
        }
        self.failed = self.failed.saturating_add(other.failed);
        self.answers
            .sort_by(|one, other| (other.plays, &one.answer).cmp(&(one.plays, &other.answer)));
        self.to
            .sort_by(|one, other| (other.plays, &one.state).cmp(&(one.plays, &other.state)));
    }

    /// How often it was answered, or not.
    pub fn plays(&self) -> u32 {
        self.answers
            .iter()
            .fold(0, |sum, answer| sum.saturating_add(answer.plays))
    }

    /// Whether not all answers are the same, or not all of them led to the same state.
    pub fn differs(&self) -> bool {
        self.answers.len() > 1 || self.to.len() > 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tally(answers: &[&str]) -> PlayTally {
        let mut tally = PlayTally::default();
        for answer in answers {
            let answer = AnswerTally {
                answer: (*answer).to_owned(),
                intent: None,
                plays: 1,
            };
            tally.add_question(&QuestionTally {
                turn: 1,
                state: "a".into(),
                need: "classify".to_owned(),
                answers: vec![answer],
                to: vec![StateTally {
                    state: "b".into(),
                    plays: 1,
                }],
                failed: 0,
            });
        }
        tally
    }

    #[test]
    fn plays_add_up_in_any_order() {
        let (one, other) = (tally(&["x", "y", "x"]), tally(&["z", "y"]));
        let (mut sum, mut turned) = (one.clone(), other.clone());
        sum.add(&other);
        turned.add(&one);
        assert_eq!(sum, turned);
        let said: Vec<(&str, u32)> = sum.questions[0]
            .answers
            .iter()
            .map(|answer| (&*answer.answer, answer.plays))
            .collect();
        assert_eq!(said, [("x", 2), ("y", 2), ("z", 1)]);
        assert!(sum.questions[0].differs() && !tally(&["x", "x"]).questions[0].differs());
    }

    #[test]
    fn the_memory_of_answers_is_bounded() {
        let many: Vec<String> = (0..1_000).map(|number| number.to_string()).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        let tally = tally(&many);
        assert_eq!(
            (tally.questions[0].answers.len(), tally.questions[0].plays()),
            (MAX_ANSWERS + 1, 1_000)
        );
    }
}
