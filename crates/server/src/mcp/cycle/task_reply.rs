//! What a call comes to.

use rmcp::model::CallToolResult;
use serde_json::{Value as Json, json};

use super::task_registry::TaskRegistry;
use super::task_slot::LiveTask;
use super::task_stream::FollowedTask;
use crate::mcp::typed_tool::call_result;

/// What a call comes to at first.
pub(super) enum CalledTask {
    /// The client is told this.
    Done(CallToolResult),
    /// The client is told of the task as long as it goes on.
    Followed(FollowedTask),
}

impl CalledTask {
    /// A text for models, and the same in parts for programs; `is_refused` where what was asked for was not done.
    pub(super) fn told(text: String, parts: Json, is_refused: bool) -> Self {
        Self::Done(call_result(text, Some(parts), is_refused))
    }

    pub(super) fn list(registry: &TaskRegistry) -> Self {
        let tasks: Vec<Json> = registry
            .all()
            .iter()
            .map(|slot| slot.status().row())
            .collect();
        let line = |row: &Json| {
            let part = |key: &str| row.get(key).and_then(Json::as_str).unwrap_or_default();
            format!(
                "- `{}`, {}: {}",
                part("task_id"),
                part("state"),
                part("description")
            )
        };
        let lines: Vec<String> = tasks.iter().map(line).collect();
        let text = if lines.is_empty() {
            "There are no tasks.".to_owned()
        } else {
            lines.join("\n")
        };
        Self::told(text, json!({"tasks": tasks}), false)
    }
}

/// Where a task is.
pub(super) fn told_status(slot: &LiveTask, is_refused: bool) -> CallToolResult {
    let status = slot.status();
    call_result(status.text(), Some(json!(*status)), is_refused)
}
