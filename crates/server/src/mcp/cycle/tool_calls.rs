//! The tools that start, drive or end tasks.

use std::ops::Deref;
use std::sync::Arc;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Number, Value as Json, json};

use super::task_registry::TaskRegistry;
use super::task_reply::{CalledTask, status_reply};
use super::task_slot::LiveTask;
use super::task_stream::{FollowedTask, TURNS, WAIT};
use super::task_turn::{OBSERVE, SUBMIT, TaskTurn};
use crate::mcp::argument_schema::{listed, near, shown};

/// ID of the task.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(transparent)]
pub(super) struct TaskId(
    #[schemars(regex(pattern = "^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$"))] pub(super) String,
);

/// Current time, in RFC 3339: 2026-01-31T18:00:00Z.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(transparent)]
pub(super) struct Time(#[schemars(length(max = 64), extend("format" = "date-time"))] String);

impl Deref for Time {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

/// Starts a task: the task queries the memory, then waits for the output of its first node. With `run`, the server runs
/// it to its end.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct SubmitTaskCall {
    /// Description of the task.
    #[schemars(length(min = 1, max = 10_000))]
    description: String,
    /// ID of the task: letters, digits, `-`, `_` and `.` (default: a derived ID).
    task_id: Option<TaskId>,
    /// Deadline of the task, in RFC 3339: 2026-01-31T18:00:00Z. A tick with a later `at` ends the task.
    deadline: Option<Time>,
    /// ID of the observation or task that caused this task.
    #[schemars(length(min = 1, max = 200))]
    begun_by: Option<String>,
    /// Run the task to its end; requires a server with workers.
    #[serde(default)]
    run: bool,
    at: Option<Time>,
}

/// Starts a task.
pub(super) fn submit(call: &SubmitTaskCall, registry: &TaskRegistry) -> Result<CalledTask, String> {
    if call.run && registry.service.answerers.is_none() {
        return Err(
            "The server has no workers, so it cannot run the task: omit `run` and submit the work with tick, or start the server with `--llm`."
                .to_owned(),
        );
    }
    let turn = TaskTurn::of(SUBMIT, call.at.as_deref())
        .bringing("task_id", &call.task_id)
        .bringing("description", &call.description)
        .bringing("deadline", &call.deadline)
        .bringing("begun_by", &call.begun_by);
    let slot = registry.submit(turn)?;
    Ok(if call.run {
        CalledTask::Followed(FollowedTask::from_its_beginning(slot, call.at.as_deref()))
    } else {
        CalledTask::Done(status_reply(&slot, false))
    })
}

/// Submits the output of one node of a task: `output`, with the names that `task_status` lists under `waits_for`.
/// Without `output`, a worker of the server does the work.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct TickCall {
    task_id: TaskId,
    /// Output of the work: an object, or a string for the first output of the node.
    #[schemars(extend("type" = ["string", "object"]))]
    output: Option<Json>,
    at: Option<Time>,
}

/// Submits the output of a node. It must use the output names of that node.
pub(super) fn tick(call: &TickCall, registry: &TaskRegistry) -> Result<CalledTask, String> {
    let slot = registry.find(&call.task_id.0)?;
    let mut turn = TaskTurn::of("tick", call.at.as_deref());
    // If the task has ended, the turn fails with that error.
    if !slot.is_final() {
        turn.data = output(&slot, call.output.as_ref())?;
    }
    played(&slot, registry, &turn)
}

/// The output of a node, by name.
fn output(slot: &LiveTask, given: Option<&Json>) -> Result<Map<String, Json>, String> {
    let brings = slot.brings();
    let brings: Vec<&str> = brings.iter().map(String::as_str).collect();
    let mut data = Map::new();
    match given {
        Some(Json::Object(output)) => {
            if let Some(unknown) = output.keys().find(|name| !brings.contains(&name.as_str())) {
                let near = near("output", unknown, brings.iter().copied());
                return Err(format!(
                    "Unknown output `{}`. Outputs of the next work: {}.{near}",
                    shown(unknown),
                    listed(&brings)
                ));
            }
            data.extend(
                output
                    .iter()
                    .filter(|(_, value)| !value.is_null())
                    .map(|(name, value)| (name.clone(), value.clone())),
            );
        }
        Some(text @ Json::String(_)) => {
            data.extend(
                brings
                    .first()
                    .map(|first| ((*first).to_owned(), text.clone())),
            );
        }
        _ => {}
    }
    Ok(data)
}

/// Runs a turn of a task. Returns its status after the turn.
fn played(
    slot: &Arc<LiveTask>,
    registry: &TaskRegistry,
    turn: &TaskTurn,
) -> Result<CalledTask, String> {
    let played = registry.play(slot, turn)?;
    let is_refused = played.is_refused || played.is_stuck;
    Ok(CalledTask::Done(status_reply(slot, is_refused)))
}

/// Follows a task to its end; a server with workers also runs it. Each turn is reported as progress if the client
/// requests progress.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct StreamCall {
    task_id: TaskId,
    /// Maximum number of turns to run (default: 100).
    #[schemars(range(min = 1, max = 1000))]
    turns: Option<u64>,
    /// Seconds to wait for the next turn if the server has no workers (default: 60).
    #[schemars(range(min = 0, max = 600))]
    wait_s: Option<u64>,
    at: Option<Time>,
}

pub(super) fn follow(call: &StreamCall, registry: &TaskRegistry) -> Result<CalledTask, String> {
    let slot = registry.find(&call.task_id.0)?;
    let reported = slot.view.borrow().summaries.len();
    let followed = FollowedTask::from_its_beginning(slot, call.at.as_deref());
    Ok(CalledTask::Followed(FollowedTask {
        reported,
        turns: call.turns.unwrap_or(TURNS),
        wait: Duration::from_secs(call.wait_s.unwrap_or(WAIT)),
        ..followed
    }))
}

/// Approves a high-risk capability for the rest of a task, on behalf of a person.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct ApproveCall {
    task_id: TaskId,
    /// Capability to approve.
    #[schemars(length(min = 1, max = 200))]
    capability: String,
    /// Name of the person who approves it.
    #[schemars(length(min = 1, max = 200))]
    by: String,
    at: Option<Time>,
}

pub(super) fn approve(call: &ApproveCall, registry: &TaskRegistry) -> Result<CalledTask, String> {
    let turn = TaskTurn::of("approve", call.at.as_deref())
        .bringing("capability", &call.capability)
        .bringing("by", &call.by);
    played(&registry.find(&call.task_id.0)?, registry, &turn)
}

/// Cancels a task, and undoes its actions if possible.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct CancelCall {
    task_id: TaskId,
    at: Option<Time>,
}

pub(super) fn cancel(call: &CancelCall, registry: &TaskRegistry) -> Result<CalledTask, String> {
    let turn = TaskTurn::of("cancel", call.at.as_deref());
    played(&registry.find(&call.task_id.0)?, registry, &turn)
}

/// Returns the phase, status, plan, pending subtasks, next work with its inputs, and errors of a task. Without
/// `task_id`, lists all tasks.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct TaskStatusCall {
    /// ID of the task (default: all tasks).
    task_id: Option<TaskId>,
}

/// The status of a task, or the list of all tasks.
pub(super) fn task_status(
    call: &TaskStatusCall,
    registry: &TaskRegistry,
) -> Result<CalledTask, String> {
    Ok(match &call.task_id {
        Some(id) => CalledTask::Done(status_reply(&*registry.find(&id.0)?, false)),
        None => CalledTask::list(registry),
    })
}

/// Records an observation, with or without a task. It does not write to the memory. With `starts`, it starts a task
/// that investigates the observation.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct ObserveCall {
    /// Source of the observation.
    #[schemars(length(min = 1, max = 200))]
    source: String,
    /// Category of the observation.
    category: ObservedCategory,
    /// Observed event or fact.
    #[schemars(length(min = 1, max = 1000))]
    signal: String,
    /// Confidence in the observation, 0 to 1.
    #[schemars(range(min = 0, max = 1))]
    confidence: Number,
    /// Start a task that investigates the observation.
    starts: Option<bool>,
    /// More data about the observation.
    metadata: Option<Map<String, Json>>,
    /// ID of the observation (default: a derived ID).
    #[schemars(length(min = 1, max = 200))]
    observation_id: Option<String>,
    /// ID of the task that the observation is about (default: no task).
    task_id: Option<TaskId>,
    /// Time of the observation, in RFC 3339: 2026-01-31T18:00:00Z.
    timestamp: Option<Time>,
    /// Current time (default: `timestamp`).
    at: Option<Time>,
}

#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum ObservedCategory {
    System,
    Environment,
    Temporal,
}

/// Records an observation.
pub(super) fn observe(call: &ObserveCall, registry: &TaskRegistry) -> Result<CalledTask, String> {
    let slot = call
        .task_id
        .as_ref()
        .map(|id| registry.find(&id.0))
        .transpose()?;
    let at = call.at.as_deref().or(call.timestamp.as_deref());
    let turn = TaskTurn::of(OBSERVE, at)
        .bringing("observation_id", &call.observation_id)
        .bringing("source", &call.source)
        .bringing("category", &call.category)
        .bringing("signal", &call.signal)
        .bringing("confidence", &call.confidence)
        .bringing("starts", call.starts)
        .bringing("timestamp", &call.timestamp)
        .bringing("metadata", &call.metadata);
    let (played, began) = match &slot {
        Some(slot) => {
            let played = registry.play(slot, &turn)?;
            let began: Vec<String> = played
                .starts
                .iter()
                .map(|started| started.id.clone())
                .filter(|id| registry.find(id).is_ok())
                .collect();
            (played, began)
        }
        None => registry.observe(&turn)?,
    };
    let taken = !played.is_refused;
    let id = played.observation.unwrap_or_default();
    let text = match (taken, began.first()) {
        (false, _) => format!("The observation `{id}` was rejected."),
        (true, None) => format!("The observation `{id}` was recorded."),
        (true, Some(task)) => {
            format!("The observation `{id}` was recorded, and started the task `{task}`.")
        }
    };
    let parts = json!({
        "observation_id": id,
        "task_id": slot.map(|slot| slot.id.clone()),
        "taken": taken,
        "began": began,
        "faults": played.faults,
    });
    Ok(CalledTask::done(text, parts, !taken))
}
