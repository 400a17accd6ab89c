//! Runs the studio: the worker on one thread, connections on another, until the process receives a shutdown signal.

use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, channel, sync_channel};
use std::{io, thread};

use super::gate::StudioGate;
use super::operation::WorkItem;
use super::project_watch::ProjectWatch;
use super::routes::Routes;
use super::studio_desk::StudioDesk;
use crate::http::{AccessToken, host_names, listen, log, serve_connections, serve_until_stopped};
use crate::limits::{LAST_WORK_TIMEOUT, MAX_CONNECTIONS, MAX_WAITING_REQUESTS};
use fsmsim_syntax::diagnostic::{Checked, Code, Diagnostic};

/// An open studio. It listens, but answers only after `run` starts.
pub struct Studio {
    listener: TcpListener,
    address: SocketAddr,
    token: AccessToken,
    desk: StudioDesk,
    work: SyncSender<WorkItem>,
    items: Receiver<WorkItem>,
}

impl Studio {
    /// Listens on a loopback port, which other machines cannot reach; port 0 selects a free one. Changed files are
    /// reported from now on.
    pub fn open(port: u16, mut desk: StudioDesk) -> Checked<Self> {
        let failed = |error: io::Error| {
            Box::new(
                Diagnostic::error(
                    Code::ConnectionFailed,
                    format!("cannot start the studio: {error}"),
                )
                .help("run the command again"),
            )
        };
        let listener = listen(SocketAddr::from((Ipv4Addr::LOCALHOST, port)))?;
        let address = listener.local_addr().map_err(failed)?;
        let token = AccessToken::random().map_err(failed)?;
        let (work, items) = sync_channel(MAX_WAITING_REQUESTS);
        let saved = work.clone();
        let watch = ProjectWatch::begin(desk.folder(), move |files| {
            saved.send(WorkItem::Files(files)).is_ok()
        });
        desk.begin_to_watch(watch);
        Ok(Self {
            listener,
            address,
            token,
            desk,
            work,
            items,
        })
    }

    /// The URL of the page, with the token.
    pub fn address(&self) -> String {
        let port = self.address.port();
        let token = self.token.as_str();
        format!("http://127.0.0.1:{port}/?token={token}")
    }

    /// Runs the requests of tabs until the process receives a shutdown signal.
    pub fn run(self) -> io::Result<()> {
        let Self {
            listener,
            address,
            token,
            mut desk,
            work,
            items,
        } = self;
        let hosts = host_names(address);
        let gate = Arc::new(StudioGate { hosts, token });
        let routes = Routes {
            gate,
            events: desk.events(),
            work: work.clone(),
        };
        let (done, is_done) = channel();
        let server = thread::spawn(move || serve(listener, routes, &work, &is_done));
        while let Ok(item) = items.recv() {
            match item {
                WorkItem::Call {
                    operation,
                    body,
                    reply,
                } => {
                    let call = AssertUnwindSafe(|| desk.call(operation, &body, reply));
                    // A panic in one request must not end the dialogue of all tabs.
                    if catch_unwind(call).is_err() {
                        log(&format!(
                            "error: the operation `{}` has panicked",
                            operation.name
                        ));
                    }
                }
                WorkItem::Files(files) => desk.saved(&files),
                WorkItem::Stop => break,
            }
        }
        // Sending fails if the server has ended before the worker.
        let _ = done.send(());
        server
            .join()
            .unwrap_or_else(|_| Err(io::Error::other("the server thread has panicked")))
    }
}

/// Serves connections until the process receives a shutdown signal; then stops the worker.
fn serve(
    listener: TcpListener,
    routes: Routes,
    work: &SyncSender<WorkItem>,
    is_done: &Receiver<()>,
) -> io::Result<()> {
    let served = serve_until_stopped(|stop| {
        serve_connections(listener, routes.router(), MAX_CONNECTIONS, stop)
    })?;
    // If the queue is full, the worker is busy, and only the time limit applies.
    let _ = work.try_send(WorkItem::Stop);
    if is_done.recv_timeout(LAST_WORK_TIMEOUT) == Err(RecvTimeoutError::Timeout) {
        // The worker waits for an external service. Turns are saved one by one, and files are written atomically.
        std::process::exit(0);
    }
    served
}
