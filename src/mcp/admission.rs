//! Who is let in over HTTP, and for how long those may stay who only knock.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::http::{HeaderMap, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use rmcp::transport::streamable_http_server::session::SessionManager;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use serde::Deserialize;

use super::caller::Caller;
use crate::http::{LogLine, log};

/// The first version of the protocol that keeps nothing about connections.
const STATELESS_VERSION: &str = "2026-07-28";
/// The header that names a connection that is kept.
const SESSION: &str = "mcp-session-id";
/// What a client says when it has heard who the server is.
const INITIALIZED: &str = "notifications/initialized";
/// What is said of a connection that is not there.
const NO_SESSION: &str = "Not Found: Session not found";
/// How long a connection is kept whose client does not say so.
const PATIENCE: Duration = Duration::from_secs(5);

/// How many connections are kept, and which of them are not used yet.
pub(super) struct Admission {
    manager: Arc<LocalSessionManager>,
    /// Connections that are kept at once for older clients.
    most: usize,
    /// The largest request, in bytes.
    max_body: usize,
    /// Connections whose clients have only asked who the server is.
    waiting: Mutex<BTreeSet<String>>,
    /// In whose name connections were begun, where users are told apart.
    owners: Mutex<BTreeMap<String, Arc<str>>>,
}

/// What is looked at of a message.
#[derive(Deserialize)]
struct Message {
    method: Option<String>,
}

impl Admission {
    /// Nobody is there yet.
    pub(super) fn new(manager: Arc<LocalSessionManager>, most: usize, max_body: usize) -> Self {
        Self { manager, most, max_body, waiting: Mutex::default(), owners: Mutex::default() }
    }

    /// Whether there is a place for one more.
    async fn is_full(&self) -> bool {
        self.manager.sessions.read().await.len() >= self.most
    }

    /// Whether a connection is that of whoever calls. Where users are told apart, one of which no owner is known is nobody's.
    fn is_of(&self, session: &str, user: Option<&Arc<str>>) -> bool {
        self.owners.lock().unwrap_or_else(PoisonError::into_inner).get(session) == user
    }

    /// Notes whose a new connection is, and forgets those that have ended.
    async fn give(&self, session: &str, user: Option<&Arc<str>>) {
        let Some(user) = user else { return };
        let open = self.manager.sessions.read().await;
        let mut owners = self.owners.lock().unwrap_or_else(PoisonError::into_inner);
        owners.retain(|session, _| open.contains_key(session.as_str()));
        owners.insert(session.to_owned(), Arc::clone(user));
    }

    fn waits(&self, session: &str) -> bool {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner).contains(session)
    }

    /// The client has done its part, or nobody waits for it any more; whether somebody did.
    fn forget(&self, session: &str) -> bool {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner).remove(session)
    }

    /// Keeps a new connection for as long as anybody is expected to take over what was offered.
    fn expect(self: Arc<Self>, session: String) {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner).insert(session.clone());
        tokio::spawn(async move {
            tokio::time::sleep(PATIENCE).await;
            if self.forget(&session) {
                log("a connection was closed: its client never said that it is ready");
                // It may have ended by itself.
                let _ = self.manager.close_session(&session.into()).await;
            }
        });
    }

    /// Looks whether a client says that it is ready.
    async fn heard(&self, session: &str, request: Request) -> Result<Request, Response> {
        let (head, body) = request.into_parts();
        let Ok(body) = to_bytes(body, self.max_body).await else {
            return Err(StatusCode::PAYLOAD_TOO_LARGE.into_response());
        };
        let message = serde_json::from_slice::<Message>(&body);
        if message.is_ok_and(|message| message.method.as_deref() == Some(INITIALIZED)) {
            self.forget(session);
        }
        Ok(Request::from_parts(head, Body::from(body)))
    }
}

/// Lets a request pass, or says that there is no place; tells of those that were refused.
pub(super) async fn admit(State(admission): State<Arc<Admission>>, mut request: Request, next: Next) -> Response {
    let asked = summary(&request);
    let caller = request.extensions().get::<Caller>().cloned().unwrap_or_default();
    let begins = begins_session(request.method(), request.headers());
    let named = session_of(request.headers());
    // A connection of somebody else is none, to the letter.
    if request.headers().contains_key(SESSION)
        && !named.as_ref().is_some_and(|session| admission.is_of(session, caller.user.as_ref()))
        && caller.user.is_some()
    {
        let response = (StatusCode::NOT_FOUND, NO_SESSION).into_response();
        tell_refused(&caller, &asked, response.status());
        return response;
    }
    let known = named.filter(|session| admission.waits(session));
    if let Some(session) = known.filter(|_| request.method() == Method::POST) {
        request = match admission.heard(&session, request).await {
            Ok(request) => request,
            Err(refused) => return refused,
        };
    }
    let response = if begins && admission.is_full().await {
        let later = [(header::RETRY_AFTER, "60")];
        (StatusCode::SERVICE_UNAVAILABLE, later, "there are too many sessions; come back later").into_response()
    } else {
        next.run(request).await
    };
    if let Some(session) = session_of(response.headers()).filter(|_| begins) {
        admission.give(&session, caller.user.as_ref()).await;
        admission.expect(session);
    }
    let status = response.status();
    if status.is_client_error() || status.is_server_error() {
        tell_refused(&caller, &asked, status);
    }
    response
}

fn tell_refused(caller: &Caller, asked: &str, status: StatusCode) {
    let told = format!("refused: {asked}: {status}");
    LogLine { peer: caller.peer, user: caller.user.as_deref(), told: &told, ..LogLine::default() }.log();
}

fn session_of(headers: &HeaderMap) -> Option<String> {
    headers.get(SESSION)?.to_str().ok().map(str::to_owned)
}

/// A request in a few words.
fn summary(request: &Request) -> String {
    let mut summary = format!("{} {}", request.method(), request.uri().path());
    for name in [header::HOST, header::ORIGIN] {
        if let Some(value) = request.headers().get(&name) {
            let value = String::from_utf8_lossy(value.as_bytes());
            summary.extend([", ", name.as_str(), " ", &value]);
        }
    }
    summary
}

/// Whether a request may begin a connection that has to be kept.
fn begins_session(method: &Method, headers: &HeaderMap) -> bool {
    let version = headers.get("mcp-protocol-version").and_then(|version| version.to_str().ok());
    method == Method::POST
        && !headers.contains_key(SESSION)
        && version.is_none_or(|version| version < STATELESS_VERSION)
}
