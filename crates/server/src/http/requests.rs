//! What a request says, within bounds.

use crate::limits::{BODY_TIMEOUT, MAX_BODY};
use axum::body::{Body, Bytes, to_bytes};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};

/// The value of a header; nothing where it is not there, or is there more than once.
pub fn only_header<'h>(headers: &'h HeaderMap, name: &HeaderName) -> Option<&'h HeaderValue> {
    let mut values = headers.get_all(name).iter();
    values.next().filter(|_| values.next().is_none())
}

/// Reads a body, all of it in the time that there is. Where it will be too much is known before.
///
/// # Errors
/// The status of the refusal of a body that is too long, or too long in coming.
pub async fn read_body(headers: &HeaderMap, body: Body) -> Result<Bytes, StatusCode> {
    let told = headers
        .get(header::CONTENT_LENGTH)
        .and_then(|length| length.to_str().ok()?.parse::<u64>().ok());
    if told.is_some_and(|length| length > MAX_BODY as u64) {
        return Err(StatusCode::PAYLOAD_TOO_LARGE);
    }
    match tokio::time::timeout(BODY_TIMEOUT, to_bytes(body, MAX_BODY)).await {
        Ok(Ok(body)) => Ok(body),
        // What is not too long was broken off, and nobody hears the answer.
        Ok(Err(_)) => Err(StatusCode::PAYLOAD_TOO_LARGE),
        Err(_) => Err(StatusCode::REQUEST_TIMEOUT),
    }
}
