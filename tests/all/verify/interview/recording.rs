//! Dialogues of a running implementation of the interview, as they were recorded: each decision with what it received, the
//! question that came of it, and the answer that came later.

use std::path::Path;

use serde_json::{Map, Value};

/// The most that its loop decides.
const MOST_DECISIONS: &str = "max_turns_30";

/// A recorded dialogue.
pub(super) struct Recording {
    /// What is said of it as a whole.
    pub(super) dialogue: Value,
    /// What was decided, one after the other.
    decisions: Vec<Value>,
}

/// What stands between two things that the user saw: decisions that asked nothing, and the last, which did or ended it.
pub(super) struct Step<'r> {
    pub(super) decisions: &'r [Value],
    /// It ended the interview.
    pub(super) ends: bool,
}

/// All points of a set, by the name of the set.
pub(super) fn point_sets(folder: &Path) -> Map<String, Value> {
    let text = std::fs::read_to_string(folder.join("interview_point_sets.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

/// All recordings.
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

    /// How many decisions there are.
    pub(super) fn count(&self) -> usize {
        self.decisions.len()
    }

    /// What the user saw, one thing after the other. A decision to ask nothing is no turn of the dialogue.
    pub(super) fn steps(&self) -> Vec<Step<'_>> {
        let mut steps: Vec<Step<'_>> = self
            .decisions
            .split_inclusive(|decision| !is_silent(decision))
            .map(|decisions| Step {
                decisions,
                ends: decisions.last().unwrap()["action"] == "finalize",
            })
            .collect();
        // Where nothing was asked until the loop was over, that was the end.
        if let Some(last) = steps.last_mut().filter(|last| is_silent(last.last())) {
            assert_eq!(self.dialogue["ended_by"], MOST_DECISIONS, "{}", self.name());
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
        self.ends.then(|| rule.unwrap_or(MOST_DECISIONS))
    }
}

/// Whether a decision asks nothing.
fn is_silent(decision: &Value) -> bool {
    decision["question"]
        .as_str()
        .is_some_and(|question| question.starts_with("skip"))
}
