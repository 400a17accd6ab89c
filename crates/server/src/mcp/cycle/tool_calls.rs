//! The tools that start, drive or end tasks.

use std::ops::Deref;
use std::sync::Arc;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Number, Value as Json, json};

use super::task_registry::TaskRegistry;
use super::task_reply::{CalledTask, told_status};
use super::task_slot::LiveTask;
use super::task_stream::{FollowedTask, TURNS, WAIT};
use super::task_turn::{OBSERVE, SUBMIT, TaskTurn};
use crate::mcp::argument_schema::{listed, near, shown};

/// The task.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(transparent)]
pub(super) struct TaskId(
    #[schemars(regex(pattern = "^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$"))] pub(super) String,
);

/// The time now. As RFC 3339 writes it: 2026-01-31T18:00:00Z.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(transparent)]
pub(super) struct Time(#[schemars(length(max = 64), extend("format" = "date-time"))] String);

impl Deref for Time {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

/// Begins a task: memory is asked, then it waits for the work of its first node. With `run` it is driven to its end at once.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct SubmitTaskCall {
    /// What is to be done.
    #[schemars(length(min = 1, max = 10_000))]
    description: String,
    /// The id of the task: letters, digits, `-`, `_` and `.`. Without it one is derived.
    task_id: Option<TaskId>,
    /// When it has to be done. A tick that comes later, by its `at`, ends the task. As RFC 3339 writes it:
    /// 2026-01-31T18:00:00Z.
    deadline: Option<Time>,
    /// What began it: an observation or a task, by its id.
    #[schemars(length(min = 1, max = 200))]
    begun_by: Option<String>,
    /// Drive it to its end, where somebody works for the server.
    #[serde(default)]
    run: bool,
    at: Option<Time>,
}

/// Starts a task.
pub(super) fn submit(call: &SubmitTaskCall, registry: &TaskRegistry) -> Result<CalledTask, String> {
    if call.run && registry.service.answerers.is_none() {
        return Err(
            "Nobody works here, so that the task cannot be driven: leave `run` out and give the work by tick, or start the server with `--llm`."
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
        CalledTask::Done(told_status(&slot, false))
    })
}

/// The work of one node of a task: `output` is what it comes to, under the names that `task_status` gives as `waits_for`.
/// Without `output` whoever works for the server is asked.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct TickCall {
    task_id: TaskId,
    /// What the work comes to: an object, or a text for the first name that the node brings.
    #[schemars(extend("type" = ["string", "object"]))]
    output: Option<Json>,
    at: Option<Time>,
}

/// Submits the work of a node. The output names must be those of the node.
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
                let near = near(unknown, brings.iter().copied());
                let known = if brings.is_empty() {
                    "nothing".to_owned()
                } else {
                    listed(&brings)
                };
                return Err(format!(
                    "The work that is next brings {known}, but not `{}`.{near}",
                    shown(unknown)
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
    Ok(CalledTask::Done(told_status(slot, is_refused)))
}

/// Follows a task to its end, and drives it there where somebody works for the server. Each turn is told as progress, if asked
/// for.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct StreamCall {
    task_id: TaskId,
    /// Turns that are driven at most: 100 unless said.
    #[schemars(range(min = 1, max = 1000))]
    turns: Option<u64>,
    /// Where nobody works for the server: seconds to wait for the next turn, 60 unless said.
    #[schemars(range(min = 0, max = 600))]
    wait_s: Option<u64>,
    at: Option<Time>,
}

pub(super) fn follow(call: &StreamCall, registry: &TaskRegistry) -> Result<CalledTask, String> {
    let slot = registry.find(&call.task_id.0)?;
    let reported = slot.view.borrow().summaries.len();
    let followed = FollowedTask::from_its_beginning(slot, call.at.as_deref());
    Ok(CalledTask::Followed(FollowedTask {
        told: reported,
        turns: call.turns.unwrap_or(TURNS),
        wait: Duration::from_secs(call.wait_s.unwrap_or(WAIT)),
        ..followed
    }))
}

/// Lets a capability of high risk pass in a task from now on, in somebody's name.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct ApproveCall {
    task_id: TaskId,
    /// What may be done.
    #[schemars(length(min = 1, max = 200))]
    capability: String,
    /// Who approves it.
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

/// Ends a task; what it did is taken back as far as that goes.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct CancelCall {
    task_id: TaskId,
    at: Option<Time>,
}

pub(super) fn cancel(call: &CancelCall, registry: &TaskRegistry) -> Result<CalledTask, String> {
    let turn = TaskTurn::of("cancel", call.at.as_deref());
    played(&registry.find(&call.task_id.0)?, registry, &turn)
}

/// Where a task is: phase, status, plan, pending subtasks, whose work is next and what is known to it, what went wrong.
/// Without `task_id` all tasks, in few words.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct TaskStatusCall {
    /// The task; without it, all of them.
    task_id: Option<TaskId>,
}

/// The status of a task, or the list of all tasks.
pub(super) fn task_status(
    call: &TaskStatusCall,
    registry: &TaskRegistry,
) -> Result<CalledTask, String> {
    Ok(match &call.task_id {
        Some(id) => CalledTask::Done(told_status(&*registry.find(&id.0)?, false)),
        None => CalledTask::list(registry),
    })
}

/// Takes an observation, of a task or of none. It writes no memory; with `starts` it begins a task that looks into it.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct ObserveCall {
    /// Who observed it.
    #[schemars(length(min = 1, max = 200))]
    source: String,
    /// Of what kind it is.
    category: ObservedCategory,
    /// What was observed.
    #[schemars(length(min = 1, max = 1000))]
    signal: String,
    /// How sure that is.
    #[schemars(range(min = 0, max = 1))]
    confidence: Number,
    /// Begin a task that looks into it.
    starts: Option<bool>,
    /// What else there is to say of it.
    metadata: Option<Map<String, Json>>,
    /// Its id. Without it one is derived.
    #[schemars(length(min = 1, max = 200))]
    observation_id: Option<String>,
    /// The task that it is about; without it, none in particular.
    task_id: Option<TaskId>,
    /// When it was observed. As RFC 3339 writes it: 2026-01-31T18:00:00Z.
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
    let turn = TaskTurn::of(OBSERVE, call.at.as_deref())
        .bringing("observation_id", &call.observation_id)
        .bringing("source", &call.source)
        .bringing("category", &call.category)
        .bringing("signal", &call.signal)
        .bringing("confidence", &call.confidence)
        .bringing("starts", call.starts)
        .bringing("metadata", &call.metadata);
    let (played, began) = match &slot {
        Some(slot) => {
            let played = registry.play(slot, &turn)?;
            let began = played.starts.iter().map(|started| started.id.clone());
            let began: Vec<String> = began.filter(|id| registry.find(id).is_ok()).collect();
            (played, began)
        }
        None => registry.observe(&turn)?,
    };
    let taken = !played.is_refused;
    let id = played.observation.unwrap_or_default();
    let text = match (taken, began.first()) {
        (false, _) => format!("The observation `{id}` was not taken."),
        (true, None) => format!("The observation `{id}` was taken."),
        (true, Some(task)) => {
            format!("The observation `{id}` was taken, and began the task `{task}`.")
        }
    };
    let parts = json!({
        "observation_id": id,
        "task_id": slot.map(|slot| slot.id.clone()),
        "taken": taken,
        "began": began,
        "faults": played.faults,
    });
    Ok(CalledTask::told(text, parts, !taken))
}
