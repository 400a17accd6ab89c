//! The settings of a task server.

use std::sync::Arc;

use crate::mcp::{HttpAccess, ServerLimits, TraceFile};
use fsmsim_adapters::llm::AnswererConfig;
use fsmsim_adapters::stores::{MemoryFile, SessionFile, StoredSession};
use fsmsim_core::engine::Machine;
use fsmsim_runtime::runtime::DialogueSetup;

/// The settings of a task server.
pub struct CycleService {
    pub machine: Arc<Machine>,
    /// The initial setup of each task.
    pub setup: DialogueSetup,
    /// The workers of the server; `None` if clients do all work.
    pub answerers: Option<AnswererConfig>,
    /// The memory that all tasks share.
    pub memory: MemoryFile,
    /// The store of saved tasks and their initial state; `None` if tasks are not saved.
    pub sessions: Option<(SessionFile, StoredSession)>,
    /// The limits for the number and duration of tasks.
    pub limits: ServerLimits,
    /// The trace file.
    pub trace: Option<TraceFile>,
    /// The HTTP listener and its access rules; `None` for standard input and output.
    pub access: Option<HttpAccess>,
}
