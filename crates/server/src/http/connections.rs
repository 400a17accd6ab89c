//! Accepts the connections of a server and limits their number.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::{Extension, Router};
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use super::log::log;
use crate::limits::{HEADER_TIMEOUT, SHUTDOWN_TIMEOUT};

/// The address of the client, which each request on its connection has as an extension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PeerAddress(pub SocketAddr);

/// Serves the connections of a listener until `stop` is canceled. At most `most` are open at a time, always fewer than
/// the open-file limit.
pub async fn serve_connections(
    listener: std::net::TcpListener,
    router: Router,
    most: usize,
    stop: CancellationToken,
) -> io::Result<()> {
    listener.set_nonblocking(true)?;
    let listener = TcpListener::from_std(listener)?;
    let permits = Arc::new(Semaphore::new(most_connections(most)));
    loop {
        let stream = tokio::select! {
            accepted = listener.accept() => accepted,
            () = stop.cancelled() => return Ok(()),
        };
        let (stream, peer) = match stream {
            Ok(accepted) => accepted,
            Err(error) => {
                // Too many files are open, or the client closed the connection. Neither stops the server.
                log(&format!("warning: connection lost: {error}"));
                tokio::time::sleep(Duration::from_millis(50)).await;
                continue;
            }
        };
        let Ok(permit) = Arc::clone(&permits).try_acquire_owned() else {
            log("refused: too many connections");
            continue;
        };
        let service = TowerToHyperService::new(router.clone().layer(Extension(PeerAddress(peer))));
        tokio::spawn(async move {
            let connection = http1::Builder::new()
                .timer(TokioTimer::new())
                .header_read_timeout(HEADER_TIMEOUT)
                .serve_connection(TokioIo::new(stream), service);
            // Only the client can cause an error on its connection, so the error is ignored.
            let _ = connection.await;
            drop(permit);
        });
    }
}

/// Runs `serve` on this thread until it ends or the process receives a shutdown signal. The signal cancels the token
/// that `serve` gets.
pub fn serve_until_stopped<F: Future<Output = io::Result<()>>>(
    serve: impl FnOnce(CancellationToken) -> F,
) -> io::Result<io::Result<()>> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let served = runtime.block_on(async {
        let stop = CancellationToken::new();
        tokio::select! {
            ended = serve(stop.clone()) => ended,
            signal = shutdown_signal() => {
                log("stopping");
                stop.cancel();
                signal
            }
        }
    });
    // If a thread is still reading standard input, it has nothing to save.
    runtime.shutdown_timeout(SHUTDOWN_TIMEOUT);
    Ok(served)
}

/// Waits for a shutdown signal.
async fn shutdown_signal() -> io::Result<()> {
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

/// The number of open files reserved for everything except connections: traces, databases, saved dialogues.
const RESERVE: usize = 256;

/// The wanted number of connections, limited by the number of files that the process can open. `RESERVE` files stay
/// free, or half of all files if that is fewer.
fn most_connections(wanted: usize) -> usize {
    open_files().map_or(wanted, |most| wanted.min(most - RESERVE.min(most / 2)))
}

/// The open-file limit of the process, if there is one.
#[cfg(unix)]
fn open_files() -> Option<usize> {
    use nix::sys::resource::{Resource, getrlimit};
    let (now, _) = getrlimit(Resource::RLIMIT_NOFILE).ok()?;
    usize::try_from(now).ok()
}

#[cfg(not(unix))]
fn open_files() -> Option<usize> {
    None
}
