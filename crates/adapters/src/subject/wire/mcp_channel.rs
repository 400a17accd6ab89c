//! What messages of MCP go through.

use std::time::Instant;

use serde_json::Value as Json;

use crate::subject::subject_failure::SubjectFailure;

/// What messages of MCP go through, each a map.
pub(super) trait McpChannel: Send {
    /// Sends a message.
    fn send(&mut self, message: &Json) -> Result<(), SubjectFailure>;

    /// The next message, which is waited for until then.
    fn receive(&mut self, deadline: Instant) -> Result<Json, SubjectFailure>;

    /// Whether nothing can come any more, however long it is waited for.
    fn is_closed(&self) -> bool {
        false
    }

    /// Both sides speak this version of the protocol from now on.
    fn agree(&mut self, _version: &str) {}

    /// What the server said beside its messages that may tell why it failed.
    fn complaint(&self) -> Option<String> {
        None
    }
}
