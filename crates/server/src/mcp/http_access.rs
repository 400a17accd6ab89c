//! Access rules for HTTP clients.

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

/// Access rules for HTTP clients.
pub struct HttpAccess {
    pub listener: TcpListener,
    /// Host names that clients may use, in addition to the address.
    pub hosts: Vec<String>,
    /// Origins whose pages may call the server, in addition to its own origins.
    pub origins: Vec<String>,
    /// The token that clients must send; `None` if all clients are accepted.
    pub token: Option<AccessToken>,
    /// The header in which a proxy sends the user name.
    pub user_header: Option<HeaderName>,
    /// Requests per minute and client.
    pub rate: Option<u32>,
}

/// Checks each request.
pub(super) struct HttpGate {
    pub token: Option<AccessToken>,
    pub user_header: Option<HeaderName>,
    pub rates: Option<CallRates>,
}

/// The authorization scheme.
const SCHEME: &[u8] = b"bearer ";

/// Authorizes a request and stores its caller.
pub(super) async fn identify(
    State(gate): State<Arc<HttpGate>>,
    mut request: Request,
    next: Next,
) -> Response {
    let peer = request.extensions().get::<PeerAddress>().map(|peer| peer.0);
    let address = || peer.map_or_else(String::new, |peer| peer.ip().to_string());
    // The borrows of the request end before the next handler is awaited.
    let user = {
        let refuse = |status: StatusCode, message: &'static str| {
            let line = format!(
                "refused: {} {}: {status}",
                request.method(),
                cut(request.uri().path())
            );
            Caller { peer, user: None }.log(&line);
            (status, message).into_response()
        };
        let refused_rate = |client: &str| {
            let wait = gate.rates.as_ref()?.take(client)?;
            let message = "too many requests; try again later";
            let mut response = refuse(StatusCode::TOO_MANY_REQUESTS, message);
            let headers = response.headers_mut();
            headers.insert(header::RETRY_AFTER, HeaderValue::from(wait));
            Some(response)
        };
        // A proxy and this server would read different ones.
        let several = |name| request.headers().get_all(name).iter().nth(1).is_some();
        if [header::HOST, header::ORIGIN].iter().any(several) {
            return refuse(
                StatusCode::BAD_REQUEST,
                "expected at most one `Host` and one `Origin` header",
            );
        }
        if !gate.knows(&request) {
            // A client that guesses tokens has the same rate limit as an authorized client.
            if let Some(refusal) = refused_rate(&format!("@{}", address())) {
                return refusal;
            }
            let mut response = refuse(
                StatusCode::UNAUTHORIZED,
                "missing or wrong token; send the header `Authorization: Bearer TOKEN`",
            );
            response.headers_mut().insert(
                header::WWW_AUTHENTICATE,
                HeaderValue::from_static("Bearer realm=\"fsmsim\""),
            );
            return response;
        }
        let user = match gate.user_of(&request) {
            Ok(user) => user,
            Err(message) => return refuse(StatusCode::FORBIDDEN, message),
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
    /// Whether a request contains the token.
    fn knows(&self, request: &Request) -> bool {
        let Some(token) = &self.token else {
            return true;
        };
        only_header(request.headers(), &header::AUTHORIZATION)
            .and_then(|value| value.as_bytes().split_at_checked(SCHEME.len()))
            .is_some_and(|(scheme, value)| scheme.eq_ignore_ascii_case(SCHEME) && token.is(value))
    }

    /// The user of a request.
    fn user_of(&self, request: &Request) -> Result<Option<Arc<str>>, &'static str> {
        let Some(name) = &self.user_header else {
            return Ok(None);
        };
        let user =
            only_header(request.headers(), name).ok_or("expected one header with the user name")?;
        let user = std::str::from_utf8(user.as_bytes())
            .map(str::trim)
            .unwrap_or_default();
        let is_name = !user.is_empty()
            && user.chars().count() <= MAX_NAME
            && !user.contains(char::is_control);
        if is_name {
            Ok(Some(user.into()))
        } else {
            Err("invalid user name")
        }
    }
}
