//! What is served.

use std::sync::Arc;
use std::time::Duration;

use super::http_access::HttpAccess;
use super::session_keeper::SessionKeeper;
use super::trace_file::TraceFile;
use super::user_twins::UserTwins;
use fsmsim_adapters::llm::AnswererConfig;
use fsmsim_core::engine::Machine;
use fsmsim_runtime::runtime::DialogueSetup;

/// What is served, and how.
pub struct Service {
    pub machine: Arc<Machine>,
    /// How each dialogue begins.
    pub setup: DialogueSetup,
    /// Where data of users is kept that is there to stay; nothing for dialogues that name their own, or none.
    pub twins: Option<UserTwins>,
    /// Who reads what is said; nothing where nobody does.
    pub answerers: Option<AnswererConfig>,
    /// Where dialogues are kept that outlive the server; nothing where none do.
    pub keeper: Option<SessionKeeper>,
    /// How many dialogues there may be, and for how long.
    pub limits: ServerLimits,
    /// A user who is asked about the data has so long to answer.
    pub patience: Duration,
    /// Where their traces go.
    pub trace: Option<TraceFile>,
    /// Where connections come in, and who may; nothing for the one over standard input and output.
    pub access: Option<HttpAccess>,
}

/// How many dialogues there may be, and for how long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ServerLimits {
    /// Dialogues that go on at once. Where there are as many, the one that was idle longest ends.
    pub sessions: usize,
    /// After so long without a call a dialogue ends.
    pub idle: Duration,
    /// Calls of one dialogue, after which it ends.
    pub calls: u32,
}
