//! Limits and checks HTTP connections of MCP clients.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use axum::body::{Body, Bytes, to_bytes};
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use rmcp::transport::streamable_http_server::session::SessionManager;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::json;

use super::caller::Caller;
use crate::http::{cut, log, read_body};
use crate::limits::{MAX_REFUSAL_BODY, UNUSED_CONNECTION_TIMEOUT};
use fsmsim_syntax::terminal::printable;
use fsmsim_syntax::threads::Mutex;

/// The header with the ID of a stored connection.
const SESSION: &str = "mcp-session-id";
/// The method that opens a stored connection.
const INITIALIZE: &str = "initialize";
/// Methods that show that a client uses its connection: it has received the server's capabilities, or calls a tool
/// without them.
const IN_USE: [&str; 2] = ["notifications/initialized", "tools/call"];
/// The response to an unknown connection ID.
const NO_SESSION: &str = "Not Found: Session not found";

/// Counts stored connections, and tracks those that are not used yet.
pub(super) struct Admission {
    manager: Arc<LocalSessionManager>,
    /// The maximum number of stored connections for older clients.
    most: usize,
    /// Connections that are being opened.
    beginning: AtomicUsize,
    /// Connections whose clients have sent only `initialize`.
    waiting: Mutex<BTreeSet<String>>,
    /// The users of connections, if the server has users.
    owners: Mutex<BTreeMap<String, Arc<str>>>,
}

/// Reserves capacity for a connection that is being opened.
struct ReservedPlace(Arc<Admission>);

/// A message of a client.
struct Message {
    body: Bytes,
    /// The method; `None` if the message is invalid.
    method: Option<String>,
}

/// The part of a message that is parsed here.
#[derive(Deserialize)]
struct Envelope {
    method: Option<String>,
}

impl Admission {
    pub(super) fn new(manager: Arc<LocalSessionManager>, most: usize) -> Self {
        let beginning = AtomicUsize::new(0);
        Self {
            manager,
            most,
            beginning,
            waiting: Mutex::default(),
            owners: Mutex::default(),
        }
    }

    /// Reserves capacity for one more connection, if there is any.
    async fn place(self: &Arc<Self>) -> Option<ReservedPlace> {
        let open = self.manager.sessions.read().await.len();
        let begun = self.beginning.fetch_add(1, Ordering::SeqCst);
        let place = ReservedPlace(Arc::clone(self));
        (open.saturating_add(begun) < self.most).then_some(place)
    }

    /// Whether a connection belongs to the caller. If the server has users, a connection without a known owner belongs
    /// to no caller.
    fn is_of(&self, session: &str, user: Option<&Arc<str>>) -> bool {
        self.owners.lock().get(session) == user
    }

    /// Stores the owner of a new connection, and removes the owners of ended connections.
    async fn give(&self, session: &str, user: Option<&Arc<str>>) {
        let Some(user) = user else { return };
        let open = self.manager.sessions.read().await;
        let mut owners = self.owners.lock();
        owners.retain(|session, _| open.contains_key(session.as_str()));
        owners.insert(session.to_owned(), Arc::clone(user));
    }

    /// Removes a connection from the unused ones. Returns whether it was unused.
    fn forget(&self, session: &str) -> bool {
        self.waiting.lock().remove(session)
    }

    /// Closes a new connection if its client does not use it in time.
    fn expect(self: Arc<Self>, session: String) {
        self.waiting.lock().insert(session.clone());
        tokio::spawn(async move {
            tokio::time::sleep(UNUSED_CONNECTION_TIMEOUT).await;
            if self.forget(&session) {
                log("connection closed: the client did not use it in time");
                // The connection might have ended already.
                let _ = self.manager.close_session(&session.into()).await;
            }
        });
    }
}

impl Drop for ReservedPlace {
    fn drop(&mut self) {
        self.0.beginning.fetch_sub(1, Ordering::SeqCst);
    }
}

impl Message {
    fn of(body: Bytes) -> Self {
        let method = serde_json::from_slice::<Envelope>(&body)
            .ok()
            .and_then(|envelope| envelope.method);
        Self { body, method }
    }

    /// The response to an invalid message.
    fn refusal(&self) -> Response {
        let is_json = serde_json::from_slice::<IgnoredAny>(&self.body).is_ok();
        let (code, message) = if is_json {
            (-32600, "Invalid Request")
        } else {
            (-32700, "Parse error")
        };
        let error =
            json!({"jsonrpc": "2.0", "id": null, "error": {"code": code, "message": message}});
        (
            StatusCode::BAD_REQUEST,
            [(header::CONTENT_TYPE, JSON)],
            error.to_string(),
        )
            .into_response()
    }
}

/// The content type of messages.
const JSON: &str = "application/json";

/// Accepts a request, or rejects it if the server is full. Logs rejected requests.
pub(super) async fn admit(
    State(admission): State<Arc<Admission>>,
    request: Request,
    next: Next,
) -> Response {
    let asked = summary(&request);
    let caller = request
        .extensions()
        .get::<Caller>()
        .cloned()
        .unwrap_or_default();
    let response = answer(&admission, request, &caller, next).await;
    let status = response.status();
    if status.is_client_error() || status.is_server_error() {
        caller.log(&format!("refused: {asked}: {status}"));
    }
    response
}

async fn answer(
    admission: &Arc<Admission>,
    request: Request,
    caller: &Caller,
    next: Next,
) -> Response {
    let is_named = request.headers().contains_key(SESSION);
    let named = session_of(request.headers());
    // A connection that belongs to another user gets the same response as an unknown one.
    let is_of = |session: &String| admission.is_of(session, caller.user.as_ref());
    if is_named && caller.user.is_some() && !named.as_ref().is_some_and(is_of) {
        return (StatusCode::NOT_FOUND, NO_SESSION).into_response();
    }
    if request.method() != Method::POST {
        return next.run(request).await;
    }
    let (head, body) = request.into_parts();
    let message = match read_body(&head.headers, body).await {
        Ok(body) => Message::of(body),
        Err(status) => return status.into_response(),
    };
    let method = message.method.as_deref();
    if let Some(session) = named.filter(|_| method.is_some_and(|method| IN_USE.contains(&method))) {
        admission.forget(&session);
    }
    // The request might open a stored connection. The transport might parse messages that this code cannot.
    let begins = !is_named && method.is_none_or(|method| method == INITIALIZE);
    let place = if begins {
        admission.place().await
    } else {
        None
    };
    if begins && place.is_none() {
        let later = [(header::RETRY_AFTER, "60")];
        return (
            StatusCode::SERVICE_UNAVAILABLE,
            later,
            "too many sessions; try again later",
        )
            .into_response();
    }
    let host = shown(&head.headers, &header::HOST);
    let is_json = says_json(&head.headers);
    let response = next
        .run(Request::from_parts(head, Body::from(message.body.clone())))
        .await;
    if let Some(session) = session_of(response.headers()).filter(|_| !is_named) {
        admission.give(&session, caller.user.as_ref()).await;
        Arc::clone(admission).expect(session);
    }
    match response.status() {
        StatusCode::UNSUPPORTED_MEDIA_TYPE if is_json => message.refusal(),
        StatusCode::FORBIDDEN => named_rightly(response, &host.unwrap_or_default()).await,
        _ => response,
    }
}

/// Adds the fix `--allow-host` to the response that rejects an unknown host.
async fn named_rightly(response: Response, host: &str) -> Response {
    let (head, body) = response.into_parts();
    let body = to_bytes(body, MAX_REFUSAL_BODY).await.unwrap_or_default();
    if !body.starts_with(STRANGE_HOST) {
        return Response::from_parts(head, Body::from(body));
    }
    let text = format!(
        "Forbidden: host `{host}` is not allowed; start the server with `--allow-host {host}`"
    );
    (head.status, text).into_response()
}

/// The start of the transport's response that rejects a host.
const STRANGE_HOST: &[u8] = b"Forbidden: Host";

fn says_json(headers: &HeaderMap) -> bool {
    headers
        .get(header::CONTENT_TYPE)
        .is_some_and(|kind| kind.as_bytes().starts_with(JSON.as_bytes()))
}

fn session_of(headers: &HeaderMap) -> Option<String> {
    headers.get(SESSION)?.to_str().ok().map(str::to_owned)
}

/// The value of a header, safe to show.
fn shown(headers: &HeaderMap, name: &HeaderName) -> Option<String> {
    let value = headers.get(name)?;
    Some(cut(&printable(&String::from_utf8_lossy(value.as_bytes()))))
}

/// The method, path, host and origin of a request.
fn summary(request: &Request) -> String {
    let mut summary = format!("{} {}", request.method(), cut(request.uri().path()));
    for name in [header::HOST, header::ORIGIN] {
        if let Some(value) = shown(request.headers(), &name) {
            summary.extend([", ", name.as_str(), " ", &value]);
        }
    }
    summary
}
