//! What a client is told when it has called.

use rmcp::model::CallToolResult;

use crate::mcp::typed_tool::call_result;
use serde_json::{Value as Json, json};

use super::followed_task::FollowedTask;
use super::task_registry::TaskRegistry;
use super::task_slot::LiveTask;

/// What a client is told when it has called.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct TaskReply {
    /// For models.
    pub(super) text: String,
    /// For programs.
    pub(super) parts: Json,
    /// What was asked for was not done.
    pub(super) is_refused: bool,
}

/// What a call comes to at first.
pub(super) enum CalledTask {
    /// The client is told this.
    Done(TaskReply),
    /// The client is told of the task as long as it goes on.
    Followed(FollowedTask),
}

impl TaskReply {
    /// What was asked for is done.
    pub(super) fn new(text: String, parts: Json) -> Self {
        Self {
            text,
            parts,
            is_refused: false,
        }
    }

    pub(super) fn status(slot: &LiveTask) -> Self {
        let status = slot.status();
        Self::new(status.text(), json!(*status))
    }

    pub(super) fn list(registry: &TaskRegistry) -> Self {
        let tasks = registry.all();
        let tasks: Vec<Json> = tasks
            .iter()
            .map(|slot| json!(slot.status().row()))
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
        Self::new(text, json!({"tasks": tasks}))
    }

    pub(super) fn result(self) -> CallToolResult {
        call_result(self.text, Some(self.parts), self.is_refused)
    }
}

impl From<TaskReply> for CalledTask {
    fn from(reply: TaskReply) -> Self {
        Self::Done(reply)
    }
}
