//! What is served.

use std::sync::Arc;
use std::time::Duration;

use super::http_access::HttpAccess;
use super::session_keeper::SessionKeeper;
use super::trace_file::TraceFile;
use fsmsim_adapters::llm::AnswererConfig;
use fsmsim_adapters::world::Twin;
#[cfg(feature = "sqlite")]
use fsmsim_adapters::world::{SqliteTwin, TwinFile};
use fsmsim_core::engine::Machine;
use fsmsim_runtime::runtime::DialogueSetup;
use fsmsim_syntax::threads::Mutex;

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

/// Where the data of each user is kept that is there to stay.
pub enum UserTwins {
    /// All dialogues are with one user, or with nobody in particular.
    One(Mutex<Box<dyn Twin>>),
    /// Each user has data of his own in a database.
    #[cfg(feature = "sqlite")]
    Each(TwinFile),
}

impl UserTwins {
    /// All dialogues have this store.
    pub fn one(twin: Box<dyn Twin>) -> Self {
        Self::One(Mutex::new(twin))
    }

    /// The store for a dialogue with this user.
    #[cfg_attr(
        not(feature = "sqlite"),
        expect(unused_variables, reason = "only databases tell users apart")
    )]
    pub(super) fn of(&self, user: Option<&str>) -> Box<dyn Twin> {
        match self {
            Self::One(twin) => twin.lock().fork(),
            #[cfg(feature = "sqlite")]
            Self::Each(file) => Box::new(SqliteTwin::new(file.clone(), user.unwrap_or_default())),
        }
    }
}
