//! Recorded runs of an external cycle: the work of each node, the end of the run, the saved states of the task, and its
//! state after a restart of the process.

use std::path::Path;

use serde_json::Value;

/// The recorded life cycles, and the runs with the same script. Only the life cycles contain the status.
const LIFE_CYCLES: [(&str, &str); 7] = [
    ("approved", "approve_first_simple"),
    ("replan_once", "replan_1_then_approve"),
    ("auto_approved", "replan_forever"),
    ("commit_failed", "commit_fails_embedding"),
    ("failed_forever", "failed_forever"),
    ("llm_down", "llm_error_in_plan"),
    ("complex", "adv_complex_all_pass"),
];

/// A recorded run.
pub(super) struct Recording {
    /// The record of the run.
    pub(super) run: Value,
    /// The records of its nodes in their order.
    pub(super) steps: Vec<Value>,
    /// The final status of its task, if it was recorded.
    pub(super) status: Option<String>,
}

/// Rows of the smaller tables.
pub(super) struct Units(Vec<Value>);

/// All recorded runs.
pub(super) fn recordings_of(folder: &Path, units: &Units) -> Vec<Recording> {
    let steps = lines(&folder.join("cycle_steps.jsonl"));
    let of = |run: &Value| {
        steps
            .iter()
            .filter(|step| step["id"] == run["id"])
            .cloned()
            .collect()
    };
    let runs = lines(&folder.join("cycle_runs.jsonl")).into_iter();
    runs.map(|run| {
        let mut recording = Recording {
            steps: of(&run),
            run,
            status: None,
        };
        recording.status = units.status(&recording);
        recording
    })
    .collect()
}

impl Units {
    pub(super) fn read(folder: &Path) -> Self {
        Self(lines(&folder.join("cycle_units.jsonl")))
    }

    pub(super) fn table<'u>(&'u self, name: &'u str) -> impl Iterator<Item = &'u Value> {
        self.0.iter().filter(move |row| row["table"] == name)
    }

    /// The final status of a task with the same script as the run.
    fn status(&self, recording: &Recording) -> Option<String> {
        let (case, _) = LIFE_CYCLES
            .iter()
            .find(|(_, run)| *run == recording.name())?;
        let row = self
            .table("task_lifecycle")
            .find(|row| row["case"] == *case)
            .unwrap();
        // Both runs must have the same nodes, except `commit`, which is saved only by a failure.
        let saved = row["saved"].as_array().unwrap();
        let saved = saved[1..saved.len() - 1]
            .iter()
            .map(|saved| &saved[1])
            .filter(|node| **node != "commit");
        let passed = recording
            .steps
            .iter()
            .map(|step| &step["state"]["current_node"]);
        let passed =
            passed.filter(|node| ["plan", "execute", "validate"].contains(&node.as_str().unwrap()));
        assert!(saved.eq(passed), "{case}");
        row["final_status"].as_str().map(str::to_owned)
    }
}

impl Recording {
    pub(super) fn name(&self) -> &str {
        self.run["id"].as_str().unwrap()
    }

    /// The exception that ended the run.
    pub(super) fn exception(&self) -> Option<&str> {
        self.run["exception"].as_str()
    }

    /// The report of the reviewer with this number, counted from 0, if it was recorded.
    pub(super) fn report(&self, time: usize) -> Option<&str> {
        let texts = self.run["script"].get("reviewer")?.as_array().unwrap();
        texts.get(time).or(texts.last())?.as_str()
    }
}

fn lines(file: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(file).unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}
