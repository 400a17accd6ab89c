//! Over HTTP: `POST /mcp`. Whoever can reach the port is taken for a stranger: hosts and origins, sizes, times and numbers are
//! all bounded.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use axum::Router;
use axum::middleware::from_fn_with_state;
use rmcp::ServerHandler;
use rmcp::transport::streamable_http_server::session::local::{LocalSessionManager, SessionConfig};
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tokio_util::sync::CancellationToken;
use tower_http::timeout::RequestBodyTimeout;

use super::admission::{Admission, admit};
use super::session_manager::ServerLimits;
use crate::http::{BODY_TIMEOUT, HEADER_TIMEOUT, MAX_BODY, MAX_CONNECTIONS, host_names, log, serve_connections};

/// Where the protocol is spoken.
const ENDPOINT: &str = "/mcp";

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
    let address = listener.local_addr()?;
    let router = router(address, handler, limits, stop.clone());
    log(&format!("listening on http://{address}{ENDPOINT}"));
    serve_connections(listener, router, limits.sessions.saturating_add(MAX_CONNECTIONS), stop).await
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
    let hosts = host_names(address);
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
