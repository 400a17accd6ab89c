//! Who is let in. Pages of other sites, and other users of this machine, reach the port too.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use super::refusal::Refusal;
use crate::http::{AccessToken, only_header};

/// The header that lets the page in. A browser sets it for no other site, and never by itself, as it does with cookies.
const TOKEN: HeaderName = HeaderName::from_static("x-fsmsim-token");
/// From where a browser says that a request comes.
const SITE: HeaderName = HeaderName::from_static("sec-fetch-site");
/// Where everything but the page is.
const API: &str = "/api/";

/// What holds of all answers; the page has a policy of its own.
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

/// Who is let in.
pub(super) struct StudioGate {
    /// What the server may be called.
    pub(super) hosts: Vec<String>,
    pub(super) token: AccessToken,
}

impl StudioGate {
    /// Whether this is in the query of an address.
    pub(super) fn is_in(&self, query: Option<&str>) -> bool {
        let said = query
            .unwrap_or_default()
            .split('&')
            .find_map(|pair| pair.strip_prefix("token="));
        said.is_some_and(|said| self.token.is(said.as_bytes()))
    }

    /// Whether a request comes from the page, or from whoever knows what lets it in.
    fn admit(&self, request: &Request) -> Result<(), Refusal> {
        let headers = request.headers();
        let other_site = || {
            forbidden(
                "another site asks",
                "open the studio by the address that it printed",
            )
        };
        let called = request
            .uri()
            .authority()
            .map(|authority| authority.as_str().as_bytes());
        let host = called.into_iter().chain(
            headers
                .get_all(header::HOST)
                .iter()
                .map(HeaderValue::as_bytes),
        );
        let mut host = host.peekable();
        if host.peek().is_none() || !host.all(|host| self.is_host(host)) {
            return Err(forbidden(
                "the server is not called so",
                "call it by the address that it printed",
            ));
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
        if only_header(headers, &TOKEN).is_some_and(|said| self.token.is(said.as_bytes())) {
            return Ok(());
        }
        let help = "open the address that `fsmsim studio` printed; a studio that was started anew has another";
        Err(Refusal::new(
            StatusCode::UNAUTHORIZED,
            "the header `X-Fsmsim-Token` does not say what lets you in",
            help,
        ))
    }

    fn is_host(&self, host: &[u8]) -> bool {
        self.hosts
            .iter()
            .any(|known| known.as_bytes().eq_ignore_ascii_case(host))
    }
}

fn forbidden(error: &str, help: &str) -> Refusal {
    Refusal::new(StatusCode::FORBIDDEN, error, help)
}

/// Lets a request pass, or says why not.
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

/// Says of every answer what browsers may do with it.
pub(super) async fn with_headers(mut response: Response) -> Response {
    for (name, value) in HEADERS {
        let headers = response.headers_mut();
        headers
            .entry(name)
            .or_insert(HeaderValue::from_static(value));
    }
    response
}
