//! Results of task calls.

use rmcp::model::CallToolResult;
use serde_json::{Value as Json, json};

use super::task_registry::TaskRegistry;
use super::task_slot::LiveTask;
use super::task_stream::FollowedTask;
use crate::mcp::typed_tool::call_result;

/// The result of a call, or a task to follow.
pub(super) enum CalledTask {
    /// The result.
    Done(CallToolResult),
    /// A task whose progress is reported until it ends.
    Followed(FollowedTask),
}

impl CalledTask {
    /// Text for the LLM, and the same content in structured form. Set `is_refused` if the call had no effect.
    pub(super) fn done(text: String, parts: Json, is_refused: bool) -> Self {
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
            "No tasks.".to_owned()
        } else {
            lines.join("\n")
        };
        Self::done(text, json!({"tasks": tasks}), false)
    }
}

/// The status of a task.
pub(super) fn status_reply(slot: &LiveTask, is_refused: bool) -> CallToolResult {
    let status = slot.status();
    call_result(status.text(), Some(json!(*status)), is_refused)
}
