//! Over HTTP: `POST /mcp`. Whoever can reach the port is taken for a stranger: hosts and origins, sizes, times and numbers are
//! all bounded.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::middleware::from_fn_with_state;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use rmcp::ServerHandler;
use rmcp::transport::streamable_http_server::session::local::{LocalSessionManager, SessionConfig};
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use tower_http::timeout::RequestBodyTimeout;

use super::admission::{Admission, admit};
use super::log::log;
use super::session_manager::ServerLimits;
use crate::diagnostic::{Code, Diagnostic};

/// Where the protocol is spoken.
const ENDPOINT: &str = "/mcp";
/// The largest request, in bytes. The longest that makes sense holds two names.
const MAX_BODY: usize = 1 << 20;
/// The head of a request must be there so long after the connection or the request before it.
const HEADER_TIMEOUT: Duration = Duration::from_secs(10);
/// A body may pause for so long.
const BODY_TIMEOUT: Duration = Duration::from_secs(10);
/// Connections at once, above those that wait for news of their sessions.
const MAX_CONNECTIONS: usize = 128;

/// Listens at an address.
///
/// # Errors
/// The finding about an address that cannot be used.
pub fn listen(address: SocketAddr) -> Result<std::net::TcpListener, Box<Diagnostic>> {
    std::net::TcpListener::bind(address).map_err(|error| {
        let title = format!("nobody can be heard at {address}: {error}");
        let finding = Diagnostic::error(Code::BadArguments, title);
        Box::new(finding.help("give an address of this machine and a port that is free"))
    })
}

/// Serves connections to this listener until `stop` says so.
///
/// # Errors
/// Where the listener cannot be used.
pub(super) async fn serve<H: ServerHandler>(
    listener: std::net::TcpListener,
    handler: impl Fn() -> H + Clone + Send + Sync + 'static,
    limits: ServerLimits,
    stop: CancellationToken,
) -> io::Result<()> {
    listener.set_nonblocking(true)?;
    let listener = TcpListener::from_std(listener)?;
    let address = listener.local_addr()?;
    let router = router(address, handler, limits, stop.clone());
    let permits = Arc::new(Semaphore::new(limits.sessions.saturating_add(MAX_CONNECTIONS)));
    log(&format!("listening on http://{address}{ENDPOINT}"));
    loop {
        let stream = tokio::select! {
            accepted = listener.accept() => accepted,
            () = stop.cancelled() => return Ok(()),
        };
        let stream = match stream {
            Ok((stream, _)) => stream,
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
        let service = TowerToHyperService::new(router.clone());
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

fn router<H: ServerHandler>(
    address: SocketAddr,
    handler: impl Fn() -> H + Send + Sync + 'static,
    limits: ServerLimits,
    stop: CancellationToken,
) -> Router {
    let mut connections = SessionConfig::default();
    connections.keep_alive = Some(limits.idle);
    connections.init_timeout = Some(HEADER_TIMEOUT);
    let mut manager = LocalSessionManager::default();
    manager.session_config = connections;
    let manager = Arc::new(manager);
    let hosts = hosts(address);
    let config = StreamableHttpServerConfig::default()
        .with_allowed_hosts(hosts.clone())
        .with_allowed_origins(hosts.iter().map(|host| format!("http://{host}")))
        .with_max_request_body_bytes(MAX_BODY)
        .with_cancellation_token(stop);
    let service = StreamableHttpService::new(move || Ok(handler()), Arc::clone(&manager), config);
    let admission = Admission::new(manager, limits.sessions, MAX_BODY);
    Router::new()
        .route_service(ENDPOINT, RequestBodyTimeout::new(service, BODY_TIMEOUT))
        .layer(from_fn_with_state(Arc::new(admission), admit))
}

/// The names by which the server may be called: of a loopback address all that mean the same, else the address itself.
fn hosts(address: SocketAddr) -> Vec<String> {
    let port = address.port();
    if address.ip().is_loopback() {
        ["localhost", "127.0.0.1", "[::1]"].into_iter().map(|host| format!("{host}:{port}")).collect()
    } else {
        vec![address.to_string()]
    }
}
