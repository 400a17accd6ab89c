//! Reads headers and bodies of requests within limits.

use crate::limits::{BODY_TIMEOUT, MAX_BODY};
use axum::body::{Body, Bytes, to_bytes};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};

/// The value of a header; `None` if it is missing or occurs more than once.
pub fn only_header<'h>(headers: &'h HeaderMap, name: &HeaderName) -> Option<&'h HeaderValue> {
    let mut values = headers.get_all(name).iter();
    values.next().filter(|_| values.next().is_none())
}

/// Reads a complete body within `BODY_TIMEOUT`. Rejects a `Content-Length` above the limit before reading.
///
/// # Errors
/// Returns the response status if the body is too long or too slow.
pub async fn read_body(headers: &HeaderMap, body: Body) -> Result<Bytes, StatusCode> {
    let declared = headers
        .get(header::CONTENT_LENGTH)
        .and_then(|length| length.to_str().ok()?.parse::<u64>().ok());
    if declared.is_some_and(|length| length > MAX_BODY as u64) {
        return Err(StatusCode::PAYLOAD_TOO_LARGE);
    }
    match tokio::time::timeout(BODY_TIMEOUT, to_bytes(body, MAX_BODY)).await {
        Ok(Ok(body)) => Ok(body),
        // An interrupted body gets the same status; its client has already closed the connection.
        Ok(Err(_)) => Err(StatusCode::PAYLOAD_TOO_LARGE),
        Err(_) => Err(StatusCode::REQUEST_TIMEOUT),
    }
}
