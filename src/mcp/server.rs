//! The front of the server: the desk on one thread, connections on another, until it is told to stop.

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
use crate::machine::Machine;
use crate::runtime::DialogueSetup;
use crate::world::Twin;

/// What is served, and how.
pub struct Service<'m> {
    /// The machine; it has instructions.
    pub machine: &'m Machine,
    /// How each dialogue begins.
    pub opening: DialogueSetup,
    /// Where data of the user is kept that is there to stay; nothing for dialogues that name their own, or none.
    pub twin: Option<Box<dyn Twin>>,
    /// How many dialogues there may be, and for how long.
    pub bounds: ServerLimits,
    /// Where their traces go.
    pub ledger: Option<TraceFile>,
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
const FAREWELL: Duration = Duration::from_millis(500);

/// Serves until the one connection is closed, or the process is told to stop.
///
/// # Errors
/// Where the server cannot be set up.
pub fn serve(service: Service<'_>) -> io::Result<Served> {
    let Service { machine, opening, twin, bounds, ledger, listener } = service;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let catalogue = Arc::new(Resources::of(machine));
    let (calls, letters) = channel();
    std::thread::scope(|scope| {
        let desk =
            scope.spawn(move || SessionManager::new(machine, opening, twin, bounds, ledger).run(&letters));
        let connections = runtime.block_on(async {
            let stop = CancellationToken::new();
            let serving = async {
                match listener {
                    Some(listener) => http::serve(listener, catalogue, calls, bounds, stop.clone()).await,
                    None => stdio::serve(McpHandler::new(catalogue, calls)).await,
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
        runtime.shutdown_timeout(FAREWELL);
        let lost = || Err(io::Error::other("the desk has failed"));
        Ok(Served { connections, traces: desk.join().unwrap_or_else(|_| lost()) })
    })
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
