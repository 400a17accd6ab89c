//! Cross-origin requests (CORS).

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use crate::http::only_header;

/// The origins whose pages may call the server. A browser hides responses from the pages of other origins.
pub(super) struct CrossOrigin(pub Vec<String>);

/// Request headers that a page may send.
const HEADERS: HeaderValue = HeaderValue::from_static(
    "authorization, content-type, accept, last-event-id, mcp-session-id, mcp-protocol-version, mcp-method, mcp-name",
);
/// Methods that a page may use.
const METHODS: HeaderValue = HeaderValue::from_static("GET, POST, DELETE");
/// Response headers that a page may read.
const EXPOSED: HeaderValue = HeaderValue::from_static("mcp-session-id, retry-after");
/// Seconds for which a browser caches a preflight response.
const REMEMBERED: HeaderValue = HeaderValue::from_static("600");

impl CrossOrigin {
    /// The origin of the request, if its page may call the server.
    fn allowed(&self, headers: &HeaderMap) -> Option<HeaderValue> {
        let origin = only_header(headers, &header::ORIGIN)?;
        let site = origin.to_str().ok()?;
        self.0
            .iter()
            .any(|known| known.eq_ignore_ascii_case(site))
            .then(|| origin.clone())
    }
}

/// Answers preflight requests, which have no authorization, and adds the CORS headers to responses.
pub(super) async fn share(
    State(sites): State<Arc<CrossOrigin>>,
    request: Request,
    next: Next,
) -> Response {
    let site = sites.allowed(request.headers());
    let asks_first = request.method() == Method::OPTIONS
        && request
            .headers()
            .contains_key(header::ACCESS_CONTROL_REQUEST_METHOD);
    let mut response = if asks_first && site.is_some() {
        let allowed = [
            (header::ACCESS_CONTROL_ALLOW_METHODS, METHODS),
            (header::ACCESS_CONTROL_ALLOW_HEADERS, HEADERS),
            (header::ACCESS_CONTROL_MAX_AGE, REMEMBERED),
        ];
        (StatusCode::NO_CONTENT, allowed).into_response()
    } else {
        next.run(request).await
    };
    let headers = response.headers_mut();
    headers.append(header::VARY, HeaderValue::from_static("Origin"));
    if let Some(site) = site {
        headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, site);
        headers.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, EXPOSED);
    }
    response
}
