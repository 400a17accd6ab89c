//! The connections of a server, as many as there may be.

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

/// The address at the other end of a connection. It stands among the extensions of each of its requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PeerAddress(pub SocketAddr);

/// Serves connections to this listener until `stop` says so, `most` of them at once, and no more than files may be open for.
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
                // Too many open files, or a client that has gone already: neither is the end of the server.
                log(&format!("a connection was lost: {error}"));
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
            // Clients come and go as they like.
            let _ = connection.await;
            drop(permit);
        });
    }
}

/// Serves on this thread until that ends, or the process is told to stop, which is passed on.
pub fn serve_until_told<F: Future<Output = io::Result<()>>>(
    serve: impl FnOnce(CancellationToken) -> F,
) -> io::Result<io::Result<()>> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let served = runtime.block_on(async {
        let stop = CancellationToken::new();
        tokio::select! {
            ended = serve(stop.clone()) => ended,
            signal = told_to_stop() => {
                log("stopping");
                stop.cancel();
                signal
            }
        }
    });
    // Whoever still reads standard input holds nothing that matters.
    runtime.shutdown_timeout(SHUTDOWN_TIMEOUT);
    Ok(served)
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

/// Files that stay free for all that is no connection: traces, databases, dialogues that are kept.
const RESERVE: usize = 256;

/// As many connections as are wanted, as far as each can have a file and enough of them are left: a half of all, where that is
/// less than the reserve.
pub(super) fn most_connections(wanted: usize) -> usize {
    open_files().map_or(wanted, |most| wanted.min(most - RESERVE.min(most / 2)))
}

/// How many files the process may have open at once, where that is bounded.
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
