//! What a client is told when it has called, and what each tool does.

use rmcp::model::{CallToolResult, ContentBlock};
use serde_json::Value as Json;

use super::task_slot::TaskSlot;

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

impl TaskReply {
    /// Where a task is.
    pub(super) fn status(slot: &TaskSlot) -> Self {
        let status = slot.status();
        Self {
            text: status.text.clone(),
            parts: status.parts.clone(),
            is_refused: false,
        }
    }

    /// The result of the call.
    pub(super) fn result(self) -> CallToolResult {
        let content = vec![ContentBlock::text(self.text)];
        let mut result = if self.is_refused {
            CallToolResult::error(content)
        } else {
            CallToolResult::success(content)
        };
        result.structured_content = Some(self.parts);
        result
    }
}
