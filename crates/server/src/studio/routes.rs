//! The routes of the studio server.

use std::sync::Arc;
use std::sync::mpsc::{SyncSender, TrySendError};

use axum::Router;
use axum::body::Body;
use axum::extract::{Path, Request, State};
use axum::http::{HeaderMap, StatusCode, Uri, header};
use axum::middleware::{from_fn_with_state, map_response};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;

use super::event_hub::EventHub;
use super::gate::{StudioGate, guard, with_headers};
use super::operation::{Reply, StudioOperation, WorkItem};
use super::operations;
use super::refusal::{JSON, Refusal};
use crate::http::{only_header, read_body};
use crate::limits::MAX_BODY;
use fsmsim_reports::report::{StudioAsset, studio_page};

/// The key under which a tab stores its token in the session storage, to survive a reload.
const KEPT: &str = "fsmsim-token";
/// The content type of pages.
const HTML: &str = "text/html; charset=utf-8";

/// The shared state of all routes.
#[derive(Clone)]
pub(super) struct Routes {
    pub gate: Arc<StudioGate>,
    pub events: Arc<EventHub>,
    /// The queue of the worker.
    pub work: SyncSender<WorkItem>,
}

impl Routes {
    /// The router with all routes.
    pub(super) fn router(self) -> Router {
        let gate = Arc::clone(&self.gate);
        Router::new()
            .route("/", get(root))
            .route("/assets/{name}", get(assets))
            .route("/api/events", get(events))
            .route("/api/{*name}", post(call))
            .fallback(async || unknown())
            .method_not_allowed_fallback(wrong_method)
            .with_state(self)
            .layer(from_fn_with_state(gate, guard))
            .layer(map_response(with_headers))
    }

    /// Queues an operation for the worker, and waits for the answer.
    async fn ask(
        &self,
        operation: &'static StudioOperation,
        body: Vec<u8>,
    ) -> Result<String, Refusal> {
        let (reply, answer) = Reply::new();
        self.work
            .try_send(WorkItem::Call {
                operation,
                body,
                reply,
            })
            .map_err(|error| match error {
                TrySendError::Full(_) => Refusal::busy("too many requests are waiting"),
                TrySendError::Disconnected(_) => closing(),
            })?;
        answer.await.unwrap_or_else(|_| Err(closing()))
    }
}

fn closing() -> Refusal {
    Refusal::new(
        StatusCode::SERVICE_UNAVAILABLE,
        "the studio is shutting down",
        "restart `fsmsim studio`",
    )
}

async fn root(State(routes): State<Routes>, uri: Uri) -> Response {
    let mut bits = [0; 16];
    if getrandom::fill(&mut bits).is_err() {
        return StatusCode::INTERNAL_SERVER_ERROR.into_response();
    }
    let nonce = BASE64_STANDARD.encode(bits);
    let policy = format!(
        "default-src 'none'; script-src 'nonce-{nonce}'; style-src 'nonce-{nonce}'; connect-src 'self'; \
         img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    );
    let headers = [
        (header::CONTENT_TYPE, HTML.to_owned()),
        (header::CONTENT_SECURITY_POLICY, policy),
    ];
    if !routes.gate.is_in(uri.query()) {
        return (StatusCode::FORBIDDEN, headers, locked_page(&nonce)).into_response();
    }
    match studio_page(&nonce) {
        Ok(page) => (headers, page).into_response(),
        Err(error) => Refusal::from(format!("cannot render the page: {error}")).into_response(),
    }
}

/// The page for requests without the token. If a tab reloads, its script sends the stored token.
fn locked_page(nonce: &str) -> String {
    format!(
        "<!doctype html><html lang=en><meta charset=utf-8><title>fsmsim studio</title>\
         <p>Open the complete URL that <code>fsmsim studio</code> printed: it ends in <code>?token=</code> and 32 characters.\n\
         <script nonce=\"{nonce}\">const kept=sessionStorage.getItem('{KEPT}');sessionStorage.removeItem('{KEPT}');\
         if(kept)location.replace('/?token='+encodeURIComponent(kept))</script>\n"
    )
}

async fn assets(Path(name): Path<String>) -> Response {
    match StudioAsset::named(&name) {
        Some(asset) => ([(header::CONTENT_TYPE, asset.content_type)], asset.text).into_response(),
        None => unknown().into_response(),
    }
}

async fn events(State(routes): State<Routes>) -> Response {
    match routes.events.listen() {
        Some(stream) => (
            [(header::CONTENT_TYPE, "application/jsonl")],
            Body::from_stream(stream),
        )
            .into_response(),
        None => Refusal::busy("too many tabs are open").into_response(),
    }
}

async fn call(
    State(routes): State<Routes>,
    Path(name): Path<String>,
    request: Request,
) -> Result<Response, Refusal> {
    let operation = operations::find(&name).ok_or_else(unknown)?;
    if !is_json(request.headers()) {
        let error = "expected a JSON request";
        return Err(Refusal::new(
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            error,
            "send `Content-Type: application/json`",
        ));
    }
    let body = body(request).await?;
    let answer = routes.ask(operation, body).await?;
    Ok(([(header::CONTENT_TYPE, JSON)], answer).into_response())
}

/// Whether the content type is JSON. A form on another site cannot set this type.
fn is_json(headers: &HeaderMap) -> bool {
    only_header(headers, &header::CONTENT_TYPE)
        .and_then(|kind| kind.to_str().ok()?.split(';').next())
        .is_some_and(|kind| kind.trim().eq_ignore_ascii_case(JSON))
}

/// Reads the body of a request, limited in size and time.
async fn body(request: Request) -> Result<Vec<u8>, Refusal> {
    let (head, body) = request.into_parts();
    read_body(&head.headers, body)
        .await
        .map(Vec::from)
        .map_err(|status| {
            if status == StatusCode::REQUEST_TIMEOUT {
                let error = "the request was not complete in time";
                return Refusal::new(status, error, "send it again");
            }
            let error = format!("the request is too large: limit {MAX_BODY} bytes");
            Refusal::new(status, error, "send a smaller request")
        })
}

fn unknown() -> Refusal {
    Refusal::new(
        StatusCode::NOT_FOUND,
        "unknown path",
        "open the URL that `fsmsim studio` printed",
    )
}

async fn wrong_method() -> Refusal {
    let error = "method not allowed";
    Refusal::new(
        StatusCode::METHOD_NOT_ALLOWED,
        error,
        "use POST for `/api/NAME`, and GET for `/`, `/assets/NAME` and `/api/events`",
    )
}
