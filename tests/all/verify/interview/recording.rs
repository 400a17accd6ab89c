//! Recorded dialogues of a real implementation of the interview: each decision with its input, its question, and the answer
//! to it.

use std::path::Path;

use serde_json::{Map, Value};

/// The end reason of a dialogue that reached the maximum number of decisions.
const MAX_DECISIONS: &str = "max_turns_30";

/// A recorded dialogue.
pub(super) struct Recording {
    /// The record of the dialogue.
    pub(super) dialogue: Value,
    /// The decisions in their order.
    decisions: Vec<Value>,
}

/// The decisions between two visible events: silent decisions, and a last one that asks a question or ends the interview.
pub(super) struct Step<'r> {
    pub(super) decisions: &'r [Value],
    /// Whether it ended the interview.
    pub(super) ends: bool,
}

/// The points of each set, by the name of the set.
pub(super) fn point_sets(folder: &Path) -> Map<String, Value> {
    let text = std::fs::read_to_string(folder.join("interview_point_sets.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

pub(super) fn recordings_of(folder: &Path) -> Vec<Recording> {
    let read = |name: &str| -> Vec<Value> {
        let text = std::fs::read_to_string(folder.join(name)).unwrap();
        text.lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    };
    let decisions = read("interview_turns.jsonl");
    let of = |dialogue: &Value| {
        decisions
            .iter()
            .filter(|decision| decision["id"] == dialogue["id"])
            .cloned()
            .collect()
    };
    let dialogues = read("interview_dialogues.jsonl").into_iter();
    dialogues
        .map(|dialogue| Recording {
            decisions: of(&dialogue),
            dialogue,
        })
        .collect()
}

impl Recording {
    pub(super) fn name(&self) -> &str {
        self.dialogue["id"].as_str().unwrap()
    }

    /// The name of its set of points.
    pub(super) fn set(&self) -> &str {
        self.dialogue["config"]["rp_set"].as_str().unwrap()
    }

    /// Number of decisions.
    pub(super) fn count(&self) -> usize {
        self.decisions.len()
    }

    /// The steps that the user saw. A decision that asks nothing is not a turn of the dialogue.
    pub(super) fn steps(&self) -> Vec<Step<'_>> {
        let mut steps: Vec<Step<'_>> = self
            .decisions
            .split_inclusive(|decision| !is_silent(decision))
            .map(|decisions| Step {
                decisions,
                ends: decisions.last().unwrap()["action"] == "finalize",
            })
            .collect();
        // Silent decisions until the loop limit end the dialogue.
        if let Some(last) = steps.last_mut().filter(|last| is_silent(last.last())) {
            assert_eq!(self.dialogue["ended_by"], MAX_DECISIONS, "{}", self.name());
            last.ends = true;
        }
        steps
    }
}

impl<'r> Step<'r> {
    pub(super) fn first(&self) -> &'r Value {
        self.decisions.first().unwrap()
    }

    pub(super) fn last(&self) -> &'r Value {
        self.decisions.last().unwrap()
    }

    /// The rule by which it ended the interview.
    pub(super) fn finished_by(&self) -> Option<&'r str> {
        let rule = self.last().get("finalize_kind").and_then(Value::as_str);
        self.ends.then(|| rule.unwrap_or(MAX_DECISIONS))
    }
}

/// Whether a decision asks no question.
fn is_silent(decision: &Value) -> bool {
    decision["question"]
        .as_str()
        .is_some_and(|question| question.starts_with("skip"))
}
