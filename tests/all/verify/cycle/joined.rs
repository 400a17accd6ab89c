//! Joins the three files of the recordings into one, with one line per run. A turn is the work of one node. The map of the
//! test selects the fields. This module does what a map cannot do: it joins several sources, removes duplicates, and tracks
//! the progress of a run.

use serde_json::{Map, Value, json};

use super::recording::{Recording, Units};

/// The exception of a run that exceeded the step limit of its runner.
const STEP_LIMIT: &str = "GraphRecursionError";
/// The error of an action that ran and timed out. Actions with another error were denied.
const TIMED_OUT: &str = "timed out";

/// The progress of a run.
#[derive(Default)]
struct Progress {
    /// Number of reports of the reviewer so far.
    reports: usize,
    /// Number of plans after the first one.
    replans: usize,
    /// The last denied capability, unless an action succeeded after it.
    refused: Option<String>,
}

/// The line of a run: its turns as JSON.
pub(super) fn joined(recording: &Recording) -> String {
    let mut progress = Progress::default();
    let mut turns = vec![
        json!({"event": "submit", "from": "waiting", "to": "analyze", "task_id": recording.name()}),
    ];
    for (at, step) in recording.steps.iter().enumerate() {
        let next = recording
            .steps
            .get(at + 1)
            .map(|next| next["node"].as_str().unwrap());
        let interrupted = recording
            .exception()
            .map(|_| step["state"]["current_node"].as_str().unwrap());
        // A run that continued after an invalid verdict would have planned again.
        let interrupted = interrupted.filter(|next| *next != "route");
        let mut turn = progress.turn(recording, step);
        match next.or(interrupted) {
            Some(next) => turn["to"] = json!(next),
            None => end(recording, &mut turn),
        }
        if step["node"] == "validate" && turn["to"] == "plan" {
            progress.replans += 1;
        }
        turn["replans"] = json!(progress.replans);
        turns.push(turn);
    }
    // The interrupted node returned nothing. Its actions are recorded separately.
    if recording.exception().is_some() && turns.last().unwrap().get("over").is_none() {
        let node = turns.last().unwrap()["to"].clone();
        let mut turn = json!({
            "event": "tick", "from": node, "task_id": recording.name(), "replans": progress.replans,
            "effects": progress.effects(&recording.run["after_last_step"]),
        });
        end(recording, &mut turn);
        turns.push(turn);
    }
    format!("{}\n", json!({"id": recording.name(), "turns": turns}))
}

/// The lines of the tasks whose process was restarted: the nodes that ran, and the state of the task after the restart.
pub(super) fn restarts(units: &Units) -> String {
    let nodes = ["analyze", "plan", "execute", "validate"];
    let line = |row: &Value| {
        let id = format!("restart_{}", row["n"]);
        let crashed = nodes
            .iter()
            .position(|node| row["crashed_during_after"] == *node)
            .unwrap();
        let row_has = row["durable_row"][1].as_str().unwrap();
        let mut turns =
            vec![json!({"event": "submit", "from": "waiting", "to": "analyze", "task_id": id})];
        let next = |at: usize| {
            if at == crashed {
                row_has
            } else {
                nodes[at + 1]
            }
        };
        turns.extend(
            (0..=crashed).map(
                |at| json!({"event": "tick", "from": nodes[at], "to": next(at), "task_id": id}),
            ),
        );
        let known = &row["new_process_get_status"];
        let mut turn = json!({"event": "tick", "from": row_has, "to": row_has, "task_id": known});
        turn["before"] = json!([{"op": "snapshot"}]);
        if row["resumed"] == false {
            turn["over"] = json!(true);
        }
        turns.push(turn);
        format!("{}\n", json!({"id": id, "turns": turns}))
    };
    units.table("restart").map(line).collect()
}

impl Progress {
    /// The turn of a node, without its target state.
    fn turn(&mut self, recording: &Recording, step: &Value) -> Value {
        let mut turn = Map::new();
        turn.insert("event".to_owned(), json!("tick"));
        turn.insert("from".to_owned(), step["node"].clone());
        turn.insert("task_id".to_owned(), json!(recording.name()));
        turn.insert("state".to_owned(), step["state"].clone());
        if step["node"] == "validate" {
            if let Some(report) = recording.report(self.reports) {
                turn.insert("report".to_owned(), json!(report));
            }
            self.reports += 1;
        }
        turn.insert("effects".to_owned(), json!(self.effects(step)));
        let subtasks = step["state"]["subtasks"].as_array().unwrap();
        let is_done = !subtasks.is_empty() && subtasks.iter().all(|subtask| subtask == "completed");
        turn.insert("plan_done".to_owned(), json!(is_done));
        turn.insert("refused".to_owned(), json!(self.refused));
        Value::Object(turn)
    }

    /// The effects of a step: actions and writes to memory.
    fn effects(&mut self, step: &Value) -> Vec<Value> {
        let actions = step["actions"].as_array().unwrap();
        let mut effects: Vec<Value> = actions.iter().map(|action| self.act(action)).collect();
        effects.extend(writes(step));
        effects
    }

    /// The effect of an action. Updates the denied capability.
    fn act(&mut self, action: &Value) -> Value {
        let capability = action["capability"].as_str().unwrap();
        let payload = json!({"capability": capability});
        let error = action["error"].as_str().unwrap_or_default();
        if action["success"] == true {
            self.refused = None;
            json!({"effect": "act", "payload": payload, "verdict": "allowed", "outcome": "done"})
        } else if error.contains(TIMED_OUT) {
            json!({"effect": "act", "payload": payload, "verdict": "allowed", "outcome": "failed"})
        } else {
            self.refused = Some(capability.to_owned());
            json!({"effect": "act", "payload": payload, "verdict": "denied", "why": error})
        }
    }
}

/// The writes to memory without duplicates: a write through the manager follows the writes of the stores for it.
fn writes(step: &Value) -> Vec<Value> {
    let mut writes: Vec<Value> = Vec::new();
    let mut by_stores: Vec<Value> = Vec::new();
    for entry in step["memory"].as_array().unwrap() {
        if entry["op"].as_str().unwrap().starts_with("backend.") {
            // Procedural knowledge is written to two stores.
            let is_same = |other: &Value| {
                ["node", "memory_type", "created_by"]
                    .iter()
                    .all(|key| other[key] == entry[key])
            };
            if !by_stores.last().is_some_and(is_same) {
                writes.append(&mut by_stores);
                by_stores.push(entry.clone());
            }
        } else {
            by_stores.clear();
            writes.push(entry.clone());
        }
    }
    writes.extend(by_stores);
    writes.iter().map(write).collect()
}

/// The effect of a write: `share` for knowledge and for the shared scope, otherwise `remember`.
fn write(entry: &Value) -> Value {
    let is_shared = entry["scope"] == "shared" || entry["memory_type"] != "episodic";
    let mut effect = json!({
        "effect": if is_shared { "share" } else { "remember" },
        "payload": {
            "type": entry["memory_type"], "scope": entry["scope"], "is_validated": entry["is_validated"],
            "node": entry["node"], "source_agent": entry["created_by"],
        },
    });
    if entry["allowed"] == true {
        effect["verdict"] = json!("allowed");
        effect["outcome"] = json!("done");
    } else {
        effect["verdict"] = json!("denied");
        effect["why"] = entry["error"].clone();
    }
    effect
}

/// Adds the end of a run: from its final state or its exception.
fn end(recording: &Recording, turn: &mut Value) {
    let is_failed = recording.exception().is_some() || recording.run["final"]["is_failed"] == true;
    turn["to"] = json!(if is_failed { "failed" } else { "committed" });
    turn["over"] = json!(true);
    if let Some(status) = &recording.status {
        turn["status"] = json!(status);
    }
    if recording
        .exception()
        .is_some_and(|exception| exception.starts_with(STEP_LIMIT))
    {
        turn["failed_by"] = json!("step_limit");
    }
}
