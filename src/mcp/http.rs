//! Over HTTP: `POST /mcp`. Whoever can reach the port is taken for a stranger: hosts and origins, sizes, times and numbers are
//! all bounded.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::mpsc::Sender;
use std::time::Duration;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, Method, StatusCode, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use rmcp::transport::streamable_http_server::session::local::{LocalSessionManager, SessionConfig};
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use tower_http::timeout::RequestBodyTimeout;

use super::log::log;
use super::mcp_handler::McpHandler;
use super::resources::Resources;
use super::session_manager::{Job, ServerLimits};

/// Where the protocol is spoken.
const PATH: &str = "/mcp";
/// The largest request, in bytes. The longest that makes sense holds two names.
const BODY: usize = 1 << 20;
/// The head of a request must be there so long after the connection or the request before it.
const HEAD: Duration = Duration::from_secs(10);
/// A body may pause for so long.
const PAUSE: Duration = Duration::from_secs(10);
/// Connections at once, above those that wait for news of their sessions.
const CONNECTIONS: usize = 128;
/// The first version of the protocol that keeps nothing about connections.
const WITHOUT_CONNECTIONS: &str = "2026-07-28";

/// Serves connections to this listener until `stop` says so.
///
/// # Errors
/// Where the listener cannot be used.
pub(super) async fn serve(
    listener: std::net::TcpListener,
    catalogue: Arc<Resources>,
    desk: Sender<Job>,
    bounds: ServerLimits,
    stop: CancellationToken,
) -> io::Result<()> {
    listener.set_nonblocking(true)?;
    let listener = TcpListener::from_std(listener)?;
    let address = listener.local_addr()?;
    let router = router(address, catalogue, desk, bounds, stop.clone());
    let places = Arc::new(Semaphore::new(bounds.sessions.saturating_add(CONNECTIONS)));
    log(&format!("listening on http://{address}{PATH}"));
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
        let Ok(place) = Arc::clone(&places).try_acquire_owned() else {
            log("refused: too many connections");
            continue;
        };
        let service = TowerToHyperService::new(router.clone());
        tokio::spawn(async move {
            let connection = http1::Builder::new()
                .timer(TokioTimer::new())
                .header_read_timeout(HEAD)
                .serve_connection(TokioIo::new(stream), service);
            // Clients come and go as they like.
            let _ = connection.await;
            drop(place);
        });
    }
}

fn router(
    address: SocketAddr,
    catalogue: Arc<Resources>,
    desk: Sender<Job>,
    bounds: ServerLimits,
    stop: CancellationToken,
) -> Router {
    let mut connections = SessionConfig::default();
    connections.keep_alive = Some(bounds.idle);
    connections.init_timeout = Some(HEAD);
    let mut manager = LocalSessionManager::default();
    manager.session_config = connections;
    let manager = Arc::new(manager);
    let hosts = hosts(address);
    let config = StreamableHttpServerConfig::default()
        .with_allowed_hosts(hosts.clone())
        .with_allowed_origins(hosts.iter().map(|host| format!("http://{host}")))
        .with_max_request_body_bytes(BODY)
        .with_cancellation_token(stop);
    let clerk = move || Ok(McpHandler::new(Arc::clone(&catalogue), desk.clone()));
    let service = StreamableHttpService::new(clerk, Arc::clone(&manager), config);
    let door = AdmissionControl { manager, most: bounds.sessions };
    Router::new()
        .route_service(PATH, RequestBodyTimeout::new(service, PAUSE))
        .layer(from_fn_with_state(Arc::new(door), pass))
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

/// Who watches the door.
struct AdmissionControl {
    manager: Arc<LocalSessionManager>,
    /// Connections that are kept at once for older clients.
    most: usize,
}

/// Lets a request pass, or says that there is no place; tells of those that were refused.
async fn pass(State(door): State<Arc<AdmissionControl>>, request: Request, next: Next) -> Response {
    let asked = told(&request);
    let begins = begins(request.method(), request.headers());
    let full = begins && door.manager.sessions.read().await.len() >= door.most;
    let response = if full {
        let later = [(header::RETRY_AFTER, "60")];
        (StatusCode::SERVICE_UNAVAILABLE, later, "there are too many sessions; come back later")
            .into_response()
    } else {
        next.run(request).await
    };
    let status = response.status();
    if status.is_client_error() || status.is_server_error() {
        log(&format!("refused: {asked}: {status}"));
    }
    response
}

/// A request in a few words.
fn told(request: &Request) -> String {
    let mut told = format!("{} {}", request.method(), request.uri().path());
    for name in [header::HOST, header::ORIGIN] {
        if let Some(value) = request.headers().get(&name) {
            let value = String::from_utf8_lossy(value.as_bytes());
            told.extend([", ", name.as_str(), " ", &value]);
        }
    }
    told
}

/// Whether a request may begin a connection that has to be kept.
fn begins(method: &Method, headers: &HeaderMap) -> bool {
    let version = headers.get("mcp-protocol-version").and_then(|version| version.to_str().ok());
    method == Method::POST
        && !headers.contains_key("mcp-session-id")
        && version.is_none_or(|version| version < WITHOUT_CONNECTIONS)
}
