//! The server: the session manager, and connections until it is told to stop.

use std::io;
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use super::connections::connections;
use super::mcp_handler::McpHandler;
use super::resources::Resources;
use super::service::Service;
use super::session_manager::SessionManager;

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
                manager.traces.catch_up();
            }
        })
    };
    let handlers = Arc::clone(&manager);
    let connections = connections(access, limits, move || McpHandler {
        resources: Arc::clone(&resources),
        manager: Arc::clone(&handlers),
        patience,
        own: Arc::default(),
    })?;
    drop(stop);
    // It has nothing to tell.
    let _ = sweeper.join();
    Ok(Served {
        connections,
        traces: manager.close(),
    })
}
