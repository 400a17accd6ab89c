//! The dialogue server: the session manager and its connections until shutdown.

use std::io;
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use super::connections::connections;
use super::mcp_handler::McpHandler;
use super::resources::Resources;
use super::service::Service;
use super::session_manager::SessionManager;

/// The results of a server that has ended.
#[derive(Debug)]
pub struct Served {
    /// The error that ended the connections early.
    pub connections: io::Result<()>,
    /// The error of the trace file.
    pub traces: io::Result<()>,
}

/// The interval between checks for idle dialogues.
const SWEEP_INTERVAL: Duration = Duration::from_secs(1);

/// Serves until the only connection closes or the process receives a shutdown signal.
pub fn serve(mut service: Service) -> io::Result<Served> {
    let limits = service.limits;
    let patience = service.patience;
    let access = service.access.take();
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
    // The thread returns no value.
    let _ = sweeper.join();
    Ok(Served {
        connections,
        traces: manager.close(),
    })
}
