//! The settings of a dialogue server.

use std::sync::Arc;
use std::time::Duration;

use super::http_access::HttpAccess;
use super::session_persistence::SessionPersistence;
use super::trace_file::TraceFile;
use fsmsim_adapters::llm::AnswererConfig;
use fsmsim_adapters::stores::Twin;
#[cfg(feature = "sqlite")]
use fsmsim_adapters::stores::{SqliteTwin, TwinFile};
use fsmsim_core::engine::Machine;
use fsmsim_runtime::runtime::DialogueSetup;
use fsmsim_syntax::threads::Mutex;

/// The settings of a dialogue server.
pub struct Service {
    pub machine: Arc<Machine>,
    /// The initial setup of each dialogue.
    pub setup: DialogueSetup,
    /// The persistent user data stores; `None` if dialogues configure a store themselves, or need none.
    pub twins: Option<UserTwins>,
    /// The recognizers of the server; `None` if it has none.
    pub answerers: Option<AnswererConfig>,
    /// The store of persistent dialogues; `None` if dialogues end with the server.
    pub keeper: Option<SessionPersistence>,
    /// The limits for the number and duration of dialogues.
    pub limits: ServerLimits,
    /// The time that a user has to answer a question about data.
    pub patience: Duration,
    /// The trace file.
    pub trace: Option<TraceFile>,
    /// The HTTP listener and its access rules; `None` for standard input and output.
    pub access: Option<HttpAccess>,
}

/// The limits for the number and duration of dialogues.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ServerLimits {
    /// Concurrent dialogues. Above the limit, the least recently used one ends.
    pub sessions: usize,
    /// Idle time after which a dialogue ends.
    pub idle: Duration,
    /// Calls after which a dialogue ends.
    pub calls: u32,
}

/// The persistent user data stores (digital twins).
pub enum UserTwins {
    /// One store for all dialogues.
    One(Mutex<Box<dyn Twin>>),
    /// A database with separate data for each user.
    #[cfg(feature = "sqlite")]
    Each(TwinFile),
}

impl UserTwins {
    /// One store for all dialogues.
    pub fn one(twin: Box<dyn Twin>) -> Self {
        Self::One(Mutex::new(twin))
    }

    /// The store for a dialogue with this user.
    #[cfg_attr(
        not(feature = "sqlite"),
        expect(unused_variables, reason = "only databases distinguish users")
    )]
    pub(super) fn of(&self, user: Option<&str>) -> Box<dyn Twin> {
        match self {
            Self::One(twin) => twin.lock().fork(),
            #[cfg(feature = "sqlite")]
            Self::Each(file) => Box::new(SqliteTwin::new(file.clone(), user.unwrap_or_default())),
        }
    }
}
