//! Collects the results of trials.

use std::collections::BTreeMap;

use super::flakiness_result::{FlakinessResult, FlakyPart, FlakyQuestion, FlakyScenario};
use super::share_interval::ShareInterval;
use crate::scenario::{QuestionTally, TrialTally};
use crate::statistics::{real, rounded};

/// The results of trials from one or more runs.
#[derive(Clone, Debug, Default)]
pub struct Flakiness {
    runs: u32,
    scenarios: BTreeMap<String, TrialTally>,
}

/// Sums over several requests.
#[derive(Default)]
struct PartSum {
    questions: u32,
    differing: u32,
    answers: u64,
    agreeing: u64,
    /// The entropy of each request, multiplied by the number of its answers.
    bits: f64,
    failed: u64,
}

impl Flakiness {
    /// Starts another run.
    pub fn begin_run(&mut self) {
        self.runs += 1;
    }

    /// Adds the trials of the scenario with this ID.
    pub fn add(&mut self, id: &str, trials: &TrialTally) {
        match self.scenarios.get_mut(id) {
            Some(known) => known.add(trials),
            None => drop(self.scenarios.insert(id.to_owned(), trials.clone())),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.scenarios.is_empty()
    }

    /// Calculates the flakiness from the trials so far.
    pub fn result(&self) -> FlakinessResult {
        let mut states = BTreeMap::new();
        let mut intents = BTreeMap::new();
        for question in self.scenarios.values().flat_map(|trials| &trials.questions) {
            let part: &mut PartSum = states.entry(question.state.as_str()).or_default();
            part.add(question);
            if let Some(intent) = question
                .answers
                .first()
                .and_then(|answer| answer.intent.as_deref())
            {
                let part: &mut PartSum = intents.entry(intent).or_default();
                part.add(question);
            }
        }
        let scenarios = self.scenarios.iter().map(|(id, trials)| FlakyScenario {
            id: id.clone(),
            trials: trials.trials,
            passed: trials.passed,
            failed: trials.failed,
            passing: ShareInterval::of(
                trials.passed.into(),
                u64::from(trials.passed) + u64::from(trials.failed),
            ),
            questions: trials
                .questions
                .iter()
                .filter(|question| question.differs())
                .map(flaky)
                .collect(),
        });
        let parts = |parts: BTreeMap<&str, PartSum>| {
            parts
                .into_iter()
                .map(|(name, sum)| sum.part(name))
                .collect()
        };
        FlakinessResult {
            runs: self.runs,
            scenarios: scenarios.collect(),
            states: parts(states),
            intents: parts(intents),
        }
    }
}

impl PartSum {
    fn add(&mut self, question: &QuestionTally) {
        let trials = u64::from(question.trials());
        self.questions += 1;
        self.differing += u32::from(question.differs());
        self.answers += trials;
        self.agreeing += question
            .answers
            .first()
            .map_or(0, |answer| u64::from(answer.trials));
        self.bits += entropy(question) * real(trials);
        self.failed += u64::from(question.failed);
    }

    fn part(self, name: &str) -> FlakyPart {
        FlakyPart {
            name: name.to_owned(),
            questions: self.questions,
            differing: self.differing,
            answers: self.answers,
            agreement: ShareInterval::of(self.agreeing, self.answers),
            entropy: rounded(self.bits / real(self.answers.max(1))),
            failed: self.failed,
        }
    }
}

fn flaky(question: &QuestionTally) -> FlakyQuestion {
    FlakyQuestion {
        turn: question.turn,
        state: question.state.clone(),
        need: question.need.clone(),
        entropy: rounded(entropy(question)),
        answers: question.answers.clone(),
        to: question.to.clone(),
        failed: question.failed,
    }
}

/// The entropy of the answers to a request, in bits.
fn entropy(question: &QuestionTally) -> f64 {
    let all = real(question.trials().into());
    let bits = question
        .answers
        .iter()
        .filter(|answer| answer.trials > 0)
        .map(|answer| {
            let share = real(answer.trials.into()) / all;
            -share * share.log2()
        });
    // A sum of zeros can be negative zero, which `abs` makes positive.
    bits.sum::<f64>().abs()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::{AnswerTally, StateTally};

    fn question(turn: u32, trials: &[u32]) -> QuestionTally {
        let answers = trials.iter().enumerate().map(|(number, trials)| {
            let answer = format!("intent_{number}");
            AnswerTally {
                intent: Some(answer.clone()),
                answer,
                trials: *trials,
            }
        });
        let to = vec![StateTally {
            state: "b".into(),
            trials: trials.iter().sum(),
        }];
        QuestionTally {
            turn,
            state: "a".into(),
            need: "classify".into(),
            answers: answers.collect(),
            to,
            failed: 0,
        }
    }

    fn tally(passed: u32, failed: u32, questions: Vec<QuestionTally>) -> TrialTally {
        TrialTally {
            trials: passed + failed,
            passed,
            failed,
            questions,
        }
    }

    #[test]
    fn entropy_is_measured_in_bits() {
        let of = |trials: &[u32]| rounded(entropy(&question(1, trials))).to_string();
        assert_eq!(
            [of(&[7]), of(&[2, 2]), of(&[1, 1, 1, 1]), of(&[3, 1])],
            ["0", "1", "2", "0.8113"]
        );
        assert_eq!(of(&[]), "0");
    }

    #[test]
    fn trials_count_the_same_in_one_run_or_in_several() {
        let mut one = Flakiness::default();
        one.begin_run();
        one.add(
            "a",
            &tally(3, 1, vec![question(1, &[3, 1]), question(2, &[4])]),
        );
        let mut two = Flakiness::default();
        for _ in 0..4 {
            two.begin_run();
        }
        for number in 0..4 {
            let first = if number == 2 {
                question(1, &[0, 1])
            } else {
                question(1, &[1])
            };
            two.add(
                "a",
                &tally(
                    u32::from(number != 2),
                    u32::from(number == 2),
                    vec![first, question(2, &[1])],
                ),
            );
        }
        let (one, two) = (one.result(), two.result());
        assert_eq!((one.runs, two.runs), (1, 4));
        assert_eq!(one.states, two.states);
        assert_eq!(one.scenarios[0].passing, ShareInterval::of(3, 4));
        assert_eq!(one.scenarios[0].questions.len(), 1);
        let state = &one.states[0];
        assert_eq!((state.questions, state.differing, state.answers), (2, 1, 8));
        assert_eq!(
            (state.agreement, state.entropy.to_string()),
            (ShareInterval::of(7, 8), "0.4056".to_owned())
        );
        assert_eq!(one.intents[0].name, "intent_0");
    }
}
