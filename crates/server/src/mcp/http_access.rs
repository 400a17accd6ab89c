//! Who may connect over HTTP, and in whose name.

use std::net::TcpListener;
use std::sync::Arc;

use super::call_rates::CallRates;
use super::caller::Caller;
use crate::http::{AccessToken, PeerAddress, cut, only_header};
use crate::limits::MAX_NAME;
use axum::extract::{Request, State};
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

/// Who may connect over HTTP, and in whose name.
pub struct HttpAccess {
    /// Where connections come in.
    pub listener: TcpListener,
    /// What the server may be called beside its address.
    pub hosts: Vec<String>,
    /// The sites whose pages may call it, beside those of its own address.
    pub origins: Vec<String>,
    /// What a client has to say to be let in; nothing where all are.
    pub token: Option<AccessToken>,
    /// The header in which whoever lets clients in says who the user is.
    pub user_header: Option<HeaderName>,
    /// Requests of one client in a minute.
    pub rate: Option<u32>,
}

/// What is asked of each request.
pub(super) struct HttpGate {
    pub(super) token: Option<AccessToken>,
    pub(super) user_header: Option<HeaderName>,
    pub(super) rates: Option<CallRates>,
}

/// The scheme of the token.
const SCHEME: &[u8] = b"bearer ";

/// Lets a request pass that may, and notes who makes it.
pub(super) async fn identify(
    State(gate): State<Arc<HttpGate>>,
    mut request: Request,
    next: Next,
) -> Response {
    let peer = request.extensions().get::<PeerAddress>().map(|peer| peer.0);
    let address = || peer.map_or_else(String::new, |peer| peer.ip().to_string());
    // What looks at the request is gone before the next one in line waits.
    let user = {
        let refuse = |status: StatusCode, told: &'static str| {
            let line = format!(
                "refused: {} {}: {status}",
                request.method(),
                cut(request.uri().path())
            );
            Caller { peer, user: None }.log(&line);
            (status, told).into_response()
        };
        let refused_rate = |client: &str| {
            let wait = gate.rates.as_ref()?.take(client)?;
            let told = "too many requests; come back later";
            let mut response = refuse(StatusCode::TOO_MANY_REQUESTS, told);
            let headers = response.headers_mut();
            headers.insert(header::RETRY_AFTER, HeaderValue::from(wait));
            Some(response)
        };
        if !gate.knows(&request) {
            // Whoever guesses is slowed down as whoever asks too much.
            if let Some(refusal) = refused_rate(&format!("@{}", address())) {
                return refusal;
            }
            let mut response = refuse(
                StatusCode::UNAUTHORIZED,
                "say who you are: Authorization: Bearer TOKEN",
            );
            response.headers_mut().insert(
                header::WWW_AUTHENTICATE,
                HeaderValue::from_static("Bearer realm=\"fsmsim\""),
            );
            return response;
        }
        let user = match gate.user_of(&request) {
            Ok(user) => user,
            Err(told) => return refuse(StatusCode::FORBIDDEN, told),
        };
        let client = user
            .as_deref()
            .map_or_else(|| format!("@{}", address()), |user| format!("user {user}"));
        if let Some(refusal) = refused_rate(&client) {
            return refusal;
        }
        user
    };
    request.extensions_mut().insert(Caller { peer, user });
    next.run(request).await
}

impl HttpGate {
    /// Whether a request says what lets it in.
    fn knows(&self, request: &Request) -> bool {
        let Some(token) = &self.token else {
            return true;
        };
        only_header(request.headers(), &header::AUTHORIZATION)
            .and_then(|said| said.as_bytes().split_at_checked(SCHEME.len()))
            .is_some_and(|(scheme, said)| scheme.eq_ignore_ascii_case(SCHEME) && token.is(said))
    }

    /// In whose name a request is made.
    fn user_of(&self, request: &Request) -> Result<Option<Arc<str>>, &'static str> {
        let Some(name) = &self.user_header else {
            return Ok(None);
        };
        let user = only_header(request.headers(), name)
            .ok_or("the request does not say who the user is, or says it twice")?;
        let user = std::str::from_utf8(user.as_bytes())
            .map(str::trim)
            .unwrap_or_default();
        let is_name = !user.is_empty()
            && user.chars().count() <= MAX_NAME
            && !user.contains(char::is_control);
        if is_name {
            Ok(Some(user.into()))
        } else {
            Err("the name of the user cannot be used")
        }
    }
}
