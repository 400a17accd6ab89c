//! Calls of tools, answered.

use std::sync::Arc;

use serde_json::{Value as Json, json};

use super::cycle_tool::CycleTool;
use super::memory_query;
use super::task_registry::TaskRegistry;
use super::task_reply::TaskReply;
use super::task_slot::TaskSlot;
use super::task_turn::{OBSERVE, SUBMIT, TaskTurn};
use super::tool_arguments::ToolArguments;
use crate::mcp::argument_schema::{listed, shown};
use fsmsim_syntax::diagnostic::{did_you_mean, nearest};

/// Begins a task.
///
/// # Errors
/// Why it cannot begin.
pub(super) fn submit(
    registry: &TaskRegistry,
    given: &ToolArguments,
) -> Result<Arc<TaskSlot>, String> {
    if given.is("run") && registry.service.answerers.is_none() {
        return Err(
            "Nobody works here, so that the task cannot be driven: leave `run` out and give the work by tick, or start the server with `--llm`."
                .to_owned(),
        );
    }
    let turn = TaskTurn::of(SUBMIT, given.text("at"));
    let keys = ["task_id", "description", "deadline", "begun_by"];
    registry.submit(
        keys.into_iter()
            .fold(turn, |turn, key| turn.bringing(key, given.value(key))),
    )
}

/// The work of a node. What it comes to has the names that the node brings.
fn tick(slot: &TaskSlot, given: &ToolArguments) -> Result<TaskTurn, String> {
    let turn = TaskTurn::of("tick", given.text("at"));
    // That it is over is told first.
    if slot.is_final() {
        return Ok(turn);
    }
    let brings = slot.brings();
    let brings: Vec<&str> = brings.iter().map(String::as_str).collect();
    match given.value("output") {
        Json::Object(output) => {
            if let Some(strange) = output.keys().find(|name| !brings.contains(&name.as_str())) {
                let near = did_you_mean("", nearest(strange, brings.iter().copied()));
                let known = if brings.is_empty() {
                    "nothing".to_owned()
                } else {
                    listed(&brings)
                };
                return Err(format!(
                    "The work that is next brings {known}, but not `{}`.{near}",
                    shown(strange)
                ));
            }
            Ok(output
                .into_iter()
                .fold(turn, |turn, (name, value)| turn.bringing(&name, value)))
        }
        Json::String(text) => match brings.first() {
            Some(first) => Ok(turn.bringing(first, Json::String(text))),
            None => Ok(turn),
        },
        _ => Ok(turn),
    }
}

/// Takes an observation.
fn observe(
    registry: &TaskRegistry,
    slot: Option<&Arc<TaskSlot>>,
    given: &ToolArguments,
) -> Result<TaskReply, String> {
    let keys = [
        "observation_id",
        "source",
        "category",
        "signal",
        "confidence",
        "starts",
        "metadata",
    ];
    let turn = TaskTurn::of(OBSERVE, given.text("at"));
    let turn = keys
        .into_iter()
        .fold(turn, |turn, key| turn.bringing(key, given.value(key)));
    let (played, began) = match slot {
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
        "task_id": slot.map(|slot| &slot.id),
        "taken": taken,
        "began": began,
        "faults": played.faults,
    });
    Ok(TaskReply {
        text,
        parts,
        is_refused: !taken,
    })
}

/// All tasks.
fn list(registry: &TaskRegistry) -> TaskReply {
    let rows: Vec<Json> = registry
        .all()
        .iter()
        .map(|slot| slot.status().row())
        .collect();
    let line = |row: &Json| {
        let part = |key: &str| {
            row.get(key)
                .and_then(Json::as_str)
                .unwrap_or_default()
                .to_owned()
        };
        format!(
            "- `{}`, {}: {}",
            part("task_id"),
            part("state"),
            part("description")
        )
    };
    let lines: Vec<String> = rows.iter().map(line).collect();
    let text = if lines.is_empty() {
        "There are no tasks.".to_owned()
    } else {
        lines.join("\n")
    };
    TaskReply {
        text,
        parts: json!({"tasks": rows}),
        is_refused: false,
    }
}

impl TaskReply {
    /// Does what a tool is called for; `stream` is somebody else's.
    ///
    /// # Errors
    /// What is wrong with the call, for the client.
    pub(super) fn of(
        registry: &TaskRegistry,
        tool: CycleTool,
        given: &ToolArguments,
    ) -> Result<Self, String> {
        let slot = given
            .text("task_id")
            .filter(|_| tool != CycleTool::SubmitTask && tool != CycleTool::Audit);
        let slot = slot.map(|id| registry.find(id)).transpose()?;
        match (tool, slot) {
            (CycleTool::SubmitTask, _) => Ok(Self::status(&*submit(registry, given)?)),
            (CycleTool::Observe, slot) => observe(registry, slot.as_ref(), given),
            (CycleTool::SearchMemory, slot) => {
                let session = slot.map(|slot| {
                    slot.status()
                        .parts
                        .get("session")
                        .cloned()
                        .unwrap_or_default()
                });
                memory_query::search(
                    &registry.service.memory,
                    session.as_ref().and_then(Json::as_str),
                    given,
                )
            }
            (CycleTool::Why, _) => memory_query::why(&registry.service.memory, given),
            (CycleTool::Audit, _) => memory_query::audit(&registry.service.memory, given),
            (CycleTool::TaskStatus, None) => Ok(list(registry)),
            (CycleTool::TaskStatus | CycleTool::Stream, Some(slot)) => Ok(Self::status(&slot)),
            (CycleTool::Tick | CycleTool::Approve | CycleTool::Cancel, Some(slot)) => {
                let turn = match tool {
                    CycleTool::Tick => tick(&slot, given)?,
                    CycleTool::Approve => TaskTurn::of("approve", given.text("at"))
                        .bringing("capability", given.value("capability"))
                        .bringing("by", given.value("by")),
                    _ => TaskTurn::of("cancel", given.text("at")),
                };
                let played = registry.play(&slot, &turn)?;
                Ok(Self {
                    is_refused: played.is_refused || played.is_stuck,
                    ..Self::status(&slot)
                })
            }
            (
                CycleTool::Tick | CycleTool::Approve | CycleTool::Cancel | CycleTool::Stream,
                None,
            ) => Err(format!("{} lacks `task_id`.", tool.name())),
        }
    }
}
