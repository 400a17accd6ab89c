//! The server: the session manager, and connections until it is told to stop.

use std::io;
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use super::connections::connections;
use super::http_access::HttpAccess;
use super::mcp_handler::McpHandler;
use super::resources::Resources;
use super::session_keeper::SessionKeeper;
use super::session_manager::{ServerLimits, SessionManager};
use super::trace_file::TraceFile;
use super::user_twins::UserTwins;
use fsmsim_adapters::llm::AnswererConfig;
use fsmsim_core::engine::Machine;
use fsmsim_runtime::runtime::DialogueSetup;

/// What is served, and how.
pub struct Service {
    /// The machine.
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

/// What the server came to.
#[derive(Debug)]
pub struct Served {
    /// What ended the connections before their time.
    pub connections: io::Result<()>,
    /// Whether all traces were written.
    pub traces: io::Result<()>,
}

/// How often idle dialogues are looked for.
const SWEEP_INTERVAL: Duration = Duration::from_secs(1);

/// Serves until the one connection is closed, or the process is told to stop.
///
/// # Errors
/// Where the server cannot be set up.
pub fn serve(mut service: Service) -> io::Result<Served> {
    let (limits, patience, access) = (service.limits, service.patience, service.access.take());
    let resources = Arc::new(Resources::of(&service.machine, service.answerers.is_some()));
    let manager = Arc::new(SessionManager::new(service));
    let (stop, stopped) = channel::<()>();
    let sweeper = {
        let manager = Arc::clone(&manager);
        std::thread::spawn(move || {
            while stopped.recv_timeout(SWEEP_INTERVAL) == Err(RecvTimeoutError::Timeout) {
                manager.sweep();
                manager.catch_up();
            }
        })
    };
    let handlers = Arc::clone(&manager);
    let connections = connections(access, limits, move || {
        McpHandler::new(Arc::clone(&resources), Arc::clone(&handlers), patience)
    })?;
    drop(stop);
    // It has nothing to tell.
    let _ = sweeper.join();
    Ok(Served {
        connections,
        traces: manager.close(),
    })
}
