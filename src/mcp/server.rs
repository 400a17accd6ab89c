//! The server: the session manager on one thread, connections on another, until it is told to stop.

use std::io;
use std::net::TcpListener;
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use super::log::log;
use super::mcp_handler::McpHandler;
use super::resources::Resources;
use super::session_manager::{ServerLimits, SessionManager};
use super::trace_file::TraceFile;
use super::{http, stdio};
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

/// Connections have so long to end when the server does.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_millis(500);

/// Serves until the one connection is closed, or the process is told to stop.
///
/// # Errors
/// Where the server cannot be set up.
pub fn serve(mut service: Service) -> io::Result<Served> {
    let (limits, listener) = (service.limits, service.listener.take());
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let resources = Arc::new(Resources::of(&service.machine));
    let (calls, jobs) = channel();
    let manager = std::thread::spawn(move || SessionManager::new(service).run(&jobs));
    let connections = runtime.block_on(async {
        let stop = CancellationToken::new();
        let serving = async {
            match listener {
                Some(listener) => http::serve(listener, resources, calls, limits, stop.clone()).await,
                None => stdio::serve(McpHandler::new(resources, calls)).await,
            }
        };
        tokio::select! {
            ended = serving => ended,
            signal = told_to_stop() => {
                log("stopping");
                stop.cancel();
                signal
            }
        }
    });
    // Whoever still reads standard input holds nothing that matters.
    runtime.shutdown_timeout(SHUTDOWN_TIMEOUT);
    let lost = || Err(io::Error::other("the session manager has failed"));
    Ok(Served { connections, traces: manager.join().unwrap_or_else(|_| lost()) })
}

/// Waits until the process is told to stop.
async fn told_to_stop() -> io::Result<()> {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        let mut terminated = signal(SignalKind::terminate())?;
        tokio::select! {
            interrupted = tokio::signal::ctrl_c() => interrupted,
            _ = terminated.recv() => Ok(()),
        }
    }
    #[cfg(not(unix))]
    tokio::signal::ctrl_c().await
}
