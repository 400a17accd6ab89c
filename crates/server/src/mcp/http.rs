//! MCP over HTTP: `POST /mcp`. All clients are untrusted: hosts, origins, sizes, times and numbers of requests are
//! limited.

use std::io;
use std::sync::Arc;

use axum::Router;
use axum::http::header;
use axum::middleware::from_fn_with_state;
use axum::routing::get;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tokio_util::sync::CancellationToken;

use super::admission::{Admission, admit};
use super::call_rates::CallRates;
use super::cross_origin::{CrossOrigin, share};
use super::http_access::{HttpAccess, HttpGate, identify};
use super::protocol_handler::MakeHandler;
use super::service::ServerLimits;
use crate::http::{host_names, log, serve_connections};
use crate::limits::{HEADER_TIMEOUT, MAX_BODY, MAX_CONNECTIONS};

/// The path of the MCP endpoint.
const ENDPOINT: &str = "/mcp";

/// The path of the health check. It returns only the status, so it needs no authorization.
const HEALTH: &str = "/health";

/// Serves connections until `stop` is canceled.
pub(super) async fn serve(
    access: HttpAccess,
    handler: MakeHandler,
    limits: ServerLimits,
    stop: CancellationToken,
) -> io::Result<()> {
    let HttpAccess {
        listener,
        hosts,
        origins,
        token,
        user_header,
        rate,
    } = access;
    let address = listener.local_addr()?;
    let own = host_names(address);
    let origins: Vec<String> = own
        .iter()
        .map(|host| format!("http://{host}"))
        .chain(origins)
        .collect();
    let config = StreamableHttpServerConfig::default()
        .with_allowed_origins(origins.clone())
        .with_allowed_hosts(own.into_iter().chain(hosts))
        .with_max_request_body_bytes(MAX_BODY)
        .with_cancellation_token(stop.clone());
    let mut manager = LocalSessionManager::default();
    manager.session_config.keep_alive = Some(limits.idle);
    manager.session_config.init_timeout = Some(HEADER_TIMEOUT);
    let manager = Arc::new(manager);
    let service = StreamableHttpService::new(move || Ok(handler()), Arc::clone(&manager), config);
    let admission = Admission::new(manager, limits.sessions);
    let gate = HttpGate {
        token,
        user_header,
        rates: rate.map(CallRates::new),
    };
    let router = Router::new()
        .route_service(ENDPOINT, service)
        .layer(from_fn_with_state(Arc::new(admission), admit))
        .layer(from_fn_with_state(Arc::new(gate), identify))
        .layer(from_fn_with_state(Arc::new(CrossOrigin(origins)), share))
        .route(
            HEALTH,
            get(|| async {
                (
                    [(header::CONTENT_TYPE, "application/json")],
                    r#"{"status":"ok"}"#,
                )
            }),
        );
    log(&format!("listening on http://{address}{ENDPOINT}"));
    serve_connections(
        listener,
        router,
        limits.sessions.saturating_add(MAX_CONNECTIONS),
        stop,
    )
    .await
}
