//! The server: the session manager on one thread, connections on another, until it is told to stop.

use std::io;
use std::net::TcpListener;
use std::sync::Arc;
use std::sync::mpsc::channel;

use super::connections::connections;
use super::mcp_handler::McpHandler;
use super::resources::Resources;
use super::session_manager::{ServerLimits, SessionManager};
use super::trace_file::TraceFile;
use crate::engine::Machine;
use crate::runtime::DialogueSetup;
use crate::world::Twin;

/// What is served, and how.
pub struct Service {
    /// The machine; it has instructions.
    pub machine: Arc<Machine>,
    /// How each dialogue begins.
    pub setup: DialogueSetup,
    /// Where data of the user is kept that is there to stay; nothing for dialogues that name their own, or none.
    pub twin: Option<Box<dyn Twin>>,
    /// How many dialogues there may be, and for how long.
    pub limits: ServerLimits,
    /// Where their traces go.
    pub trace: Option<TraceFile>,
    /// Where connections come in; nothing for the one over standard input and output.
    pub listener: Option<TcpListener>,
}

/// What the server came to.
#[derive(Debug)]
pub struct Served {
    /// What ended the connections before their time.
    pub connections: io::Result<()>,
    /// Whether all traces were written.
    pub traces: io::Result<()>,
}

/// Serves until the one connection is closed, or the process is told to stop.
///
/// # Errors
/// Where the server cannot be set up.
pub fn serve(mut service: Service) -> io::Result<Served> {
    let (limits, listener) = (service.limits, service.listener.take());
    let resources = Arc::new(Resources::of(&service.machine));
    let (calls, jobs) = channel();
    let manager = std::thread::spawn(move || SessionManager::new(service).run(&jobs));
    let connections = connections(listener, limits, move || McpHandler::new(Arc::clone(&resources), calls.clone()))?;
    let lost = || Err(io::Error::other("the session manager has failed"));
    Ok(Served { connections, traces: manager.join().unwrap_or_else(|_| lost()) })
}
