//! What is served of a cycle, and how.

use std::sync::Arc;

use crate::mcp::{HttpAccess, ServerLimits, TraceFile};
use fsmsim_adapters::llm::AnswererConfig;
use fsmsim_adapters::world::{MemoryFile, SessionFile, StoredSession};
use fsmsim_core::engine::Machine;
use fsmsim_runtime::runtime::DialogueSetup;

/// What is served of a cycle, and how.
pub struct CycleService {
    pub machine: Arc<Machine>,
    /// How each task begins.
    pub setup: DialogueSetup,
    /// Who works where a client does not; nothing where nobody does.
    pub answerers: Option<AnswererConfig>,
    /// What all tasks remember in.
    pub memory: MemoryFile,
    /// Where tasks are kept that outlive the server, and how they begin there; nothing where none do.
    pub sessions: Option<(SessionFile, StoredSession)>,
    /// How many tasks there may be, and for how long.
    pub limits: ServerLimits,
    /// Where their traces go.
    pub trace: Option<TraceFile>,
    /// Where connections come in, and who may; nothing for the one over standard input and output.
    pub access: Option<HttpAccess>,
}
