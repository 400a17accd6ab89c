//! Who is let in over HTTP, and for how long those may stay who only knock.

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

/// The header that names a connection that is kept.
const SESSION: &str = "mcp-session-id";
/// What a client says that wants a connection to be kept.
const INITIALIZE: &str = "initialize";
/// What a client says that uses its connection: it has heard who the server is, or calls without a word about that.
const IN_USE: [&str; 2] = ["notifications/initialized", "tools/call"];
/// What is said of a connection that is not there.
const NO_SESSION: &str = "Not Found: Session not found";

/// How many connections are kept, and which of them are not used yet.
pub(super) struct Admission {
    manager: Arc<LocalSessionManager>,
    /// Connections that are kept at once for older clients.
    most: usize,
    /// Connections that are being begun at this moment.
    beginning: AtomicUsize,
    /// Connections whose clients have only asked who the server is.
    waiting: Mutex<BTreeSet<String>>,
    /// In whose name connections were begun, where users are told apart.
    owners: Mutex<BTreeMap<String, Arc<str>>>,
}

/// The place of a connection that is being begun.
struct ReservedPlace(Arc<Admission>);

/// What a client says.
struct Message {
    body: Bytes,
    /// What it asks for; nothing where that cannot be read.
    method: Option<String>,
}

/// What is looked at of a message.
#[derive(Deserialize)]
struct Envelope {
    method: Option<String>,
}

impl Admission {
    /// Nobody is there yet.
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

    /// A place for one more, if there is any.
    async fn place(self: &Arc<Self>) -> Option<ReservedPlace> {
        let open = self.manager.sessions.read().await.len();
        let begun = self.beginning.fetch_add(1, Ordering::SeqCst);
        let place = ReservedPlace(Arc::clone(self));
        (open.saturating_add(begun) < self.most).then_some(place)
    }

    /// Whether a connection is that of whoever calls. Where users are told apart, one of which no owner is known is nobody's.
    fn is_of(&self, session: &str, user: Option<&Arc<str>>) -> bool {
        self.owners.lock().get(session) == user
    }

    /// Notes whose a new connection is, and forgets those that have ended.
    async fn give(&self, session: &str, user: Option<&Arc<str>>) {
        let Some(user) = user else { return };
        let open = self.manager.sessions.read().await;
        let mut owners = self.owners.lock();
        owners.retain(|session, _| open.contains_key(session.as_str()));
        owners.insert(session.to_owned(), Arc::clone(user));
    }

    /// The client has done its part, or nobody waits for it any more; whether somebody did.
    fn forget(&self, session: &str) -> bool {
        self.waiting.lock().remove(session)
    }

    /// Keeps a new connection for as long as anybody is expected to take over what was offered.
    fn expect(self: Arc<Self>, session: String) {
        self.waiting.lock().insert(session.clone());
        tokio::spawn(async move {
            tokio::time::sleep(UNUSED_CONNECTION_TIMEOUT).await;
            if self.forget(&session) {
                log(
                    "a connection was closed: its client never said that it is ready, and has not called",
                );
                // It may have ended by itself.
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

    /// What is answered to what is no message.
    fn refusal(&self) -> Response {
        let is_json = serde_json::from_slice::<IgnoredAny>(&self.body).is_ok();
        let (code, told) = if is_json {
            (-32600, "Invalid Request")
        } else {
            (-32700, "Parse error")
        };
        let error = json!({"jsonrpc": "2.0", "id": null, "error": {"code": code, "message": told}});
        (
            StatusCode::BAD_REQUEST,
            [(header::CONTENT_TYPE, JSON)],
            error.to_string(),
        )
            .into_response()
    }
}

/// What messages are written in.
const JSON: &str = "application/json";

/// Lets a request pass, or says that there is no place; tells of those that were refused.
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
    // A connection of somebody else is none, to the letter.
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
    // A connection may come of it that has to be kept. What cannot be read here may be read there.
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
            "there are too many sessions; come back later",
        )
            .into_response();
    }
    let (host, is_json) = (
        shown(&head.headers, &header::HOST),
        says_json(&head.headers),
    );
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

/// The same refusal, which says how the server comes to be called so.
async fn named_rightly(response: Response, host: &str) -> Response {
    let (head, body) = response.into_parts();
    let told = to_bytes(body, MAX_REFUSAL_BODY).await.unwrap_or_default();
    if !told.starts_with(STRANGE_HOST) {
        return Response::from_parts(head, Body::from(told));
    }
    let told = format!(
        "Forbidden: the server does not know that it is called `{host}`: start it with `--allow-host {host}`"
    );
    (head.status, told).into_response()
}

/// How a refusal begins that is about the host.
const STRANGE_HOST: &[u8] = b"Forbidden: Host";

fn says_json(headers: &HeaderMap) -> bool {
    headers
        .get(header::CONTENT_TYPE)
        .is_some_and(|kind| kind.as_bytes().starts_with(JSON.as_bytes()))
}

fn session_of(headers: &HeaderMap) -> Option<String> {
    headers.get(SESSION)?.to_str().ok().map(str::to_owned)
}

/// What a header says, as it can be shown.
fn shown(headers: &HeaderMap, name: &HeaderName) -> Option<String> {
    let value = headers.get(name)?;
    Some(cut(&printable(&String::from_utf8_lossy(value.as_bytes()))))
}

/// A request in a few words.
fn summary(request: &Request) -> String {
    let mut summary = format!("{} {}", request.method(), cut(request.uri().path()));
    for name in [header::HOST, header::ORIGIN] {
        if let Some(value) = shown(request.headers(), &name) {
            summary.extend([", ", name.as_str(), " ", &value]);
        }
    }
    summary
}
