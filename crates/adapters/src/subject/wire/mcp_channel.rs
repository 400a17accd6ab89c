//! Transport of MCP messages.

use std::time::Instant;

use serde_json::Value as Json;

use crate::subject::subject_failure::SubjectFailure;

/// A transport of MCP messages. Each message is a map.
pub(super) trait McpChannel: Send {
    /// Sends a message.
    fn send(&mut self, message: &Json) -> Result<(), SubjectFailure>;

    /// Waits for the next message until the deadline.
    fn receive(&mut self, deadline: Instant) -> Result<Json, SubjectFailure>;

    /// Whether no further messages can arrive.
    fn is_closed(&self) -> bool {
        false
    }

    /// Sets the protocol version that both sides have agreed on.
    fn agree(&mut self, _version: &str) {}

    /// Output of the server other than messages, which might explain a failure.
    fn complaint(&self) -> Option<String> {
        None
    }
}
