//! Authorizes studio requests. Other web sites (CSRF, DNS rebinding) and other local users can reach the port.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use super::refusal::Refusal;
use crate::http::{AccessToken, only_header};

/// The header with the token. Unlike a cookie, a browser never adds it automatically, and other sites cannot set it.
const TOKEN: HeaderName = HeaderName::from_static("x-fsmsim-token");
/// The header in which a browser states the origin of a request.
const SITE: HeaderName = HeaderName::from_static("sec-fetch-site");
/// The prefix of all paths except the page and its assets.
const API: &str = "/api/";

/// Headers of all responses; the page has its own content security policy.
const HEADERS: [(HeaderName, &str); 6] = [
    (header::CACHE_CONTROL, "no-store"),
    (
        header::CONTENT_SECURITY_POLICY,
        "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    ),
    (header::REFERRER_POLICY, "no-referrer"),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (
        HeaderName::from_static("cross-origin-resource-policy"),
        "same-origin",
    ),
    (
        HeaderName::from_static("cross-origin-opener-policy"),
        "same-origin",
    ),
];

/// Authorizes requests.
pub(super) struct StudioGate {
    /// The allowed host names.
    pub hosts: Vec<String>,
    pub token: AccessToken,
}

impl StudioGate {
    /// Whether a query string contains the token.
    pub(super) fn is_in(&self, query: Option<&str>) -> bool {
        let token = query
            .unwrap_or_default()
            .split('&')
            .find_map(|pair| pair.strip_prefix("token="));
        token.is_some_and(|token| self.token.is(token.as_bytes()))
    }

    /// Checks that a request comes from the page or a client with the token.
    fn admit(&self, request: &Request) -> Result<(), Refusal> {
        let headers = request.headers();
        let other_site = || forbidden("requests from other sites are not allowed");
        let called = request
            .uri()
            .authority()
            .map(|authority| authority.as_str().as_bytes());
        let mut host = called
            .into_iter()
            .chain(
                headers
                    .get_all(header::HOST)
                    .iter()
                    .map(HeaderValue::as_bytes),
            )
            .peekable();
        if host.peek().is_none() || !host.all(|host| self.is_host(host)) {
            return Err(forbidden("the host of the request is not allowed"));
        }
        let mut origins = headers
            .get_all(header::ORIGIN)
            .iter()
            .map(HeaderValue::as_bytes);
        if !origins.all(|origin| {
            origin
                .strip_prefix(b"http://")
                .is_some_and(|host| self.is_host(host))
        }) {
            return Err(other_site());
        }
        if !request.uri().path().starts_with(API) {
            return Ok(());
        }
        let mut sites = headers.get_all(SITE).iter().map(HeaderValue::as_bytes);
        if !sites.all(|site| site == b"same-origin" || site == b"none") {
            return Err(other_site());
        }
        if only_header(headers, &TOKEN).is_some_and(|token| self.token.is(token.as_bytes())) {
            return Ok(());
        }
        let help = "open the URL that `fsmsim studio` printed; each start creates a new URL";
        Err(Refusal::new(
            StatusCode::UNAUTHORIZED,
            "missing or invalid `X-Fsmsim-Token` header",
            help,
        ))
    }

    fn is_host(&self, host: &[u8]) -> bool {
        self.hosts
            .iter()
            .any(|known| known.as_bytes().eq_ignore_ascii_case(host))
    }
}

fn forbidden(error: &str) -> Refusal {
    let help = "open the URL that `fsmsim studio` printed";
    Refusal::new(StatusCode::FORBIDDEN, error, help)
}

/// Forwards authorized requests and rejects all others.
pub(super) async fn guard(
    State(gate): State<Arc<StudioGate>>,
    request: Request,
    next: Next,
) -> Response {
    match gate.admit(&request) {
        Ok(()) => next.run(request).await,
        Err(refusal) => refusal.into_response(),
    }
}

/// Adds the security headers to a response.
pub(super) async fn with_headers(mut response: Response) -> Response {
    for (name, value) in HEADERS {
        let headers = response.headers_mut();
        headers
            .entry(name)
            .or_insert(HeaderValue::from_static(value));
    }
    response
}
