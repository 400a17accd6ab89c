//! One request over HTTP, and what came back.

use std::fmt::Write;
use std::time::SystemTime;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::Value as Json;
use ureq::http::{HeaderMap, Response};

use super::chat_request::ChatRequest;
use super::completion::Completion;
use super::http_client::HttpClient;
use super::request_error::{RequestError, retry_after};
use super::server_error::ServerError;
use super::{anthropic, gigachat, openai};
use crate::llm::answerer::{AnswerFailure, FailureKind};
use crate::llm::provider::{Provider, Wire};

/// The largest answer that is read, in bytes.
const ANSWER_LIMIT: u64 = 1 << 20;

/// The most of what a server says about a request that it does not answer, in bytes.
const ERROR_LIMIT: u64 = 64 << 10;

/// Letters that stand in addresses as they are.
const PLAIN: AsciiSet = NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// One request and its answer.
pub(super) fn exchange(
    client: &HttpClient,
    provider: &Provider,
    request: &ChatRequest<'_>,
    headers: HeaderMap,
) -> Result<Completion, RequestError> {
    let (path, mut body) = match &provider.wire {
        Wire::OpenAi => ("/chat/completions", openai::body(request)),
        Wire::Anthropic => ("/messages", anthropic::body(request)),
        Wire::GigaChat { .. } => ("/chat/completions", gigachat::body(request)),
    };
    provider.layers(request.kind).for_each(|parameters| parameters.apply(&mut body));
    let mut address = format!("{}{path}", provider.base_url);
    for ((key, value), before) in provider.query.iter().zip(std::iter::once('?').chain(std::iter::repeat('&'))) {
        let (key, value) = (utf8_percent_encode(key, &PLAIN), utf8_percent_encode(value, &PLAIN));
        let _ = write!(address, "{before}{key}={value}");
    }
    let timeout = provider.need(request.kind).and_then(|need| need.timeout).unwrap_or(provider.timeout);
    let mut post = client.post(&address, timeout)?;
    if let Some(own) = post.headers_mut() {
        for (name, value) in &headers {
            own.insert(name, value.clone());
        }
    }
    let response = post.send(body.to_string()).map_err(|error| client.error_of_sending(&address, &error))?;
    let mut response = check_status(response)?;
    let text = read_body(&mut response)?;
    let read_completion = match provider.wire {
        Wire::Anthropic => anthropic::completion,
        Wire::OpenAi | Wire::GigaChat { .. } => openai::completion,
    };
    parse(&text).and_then(|answer| read_completion(&answer)).map_err(|failure| match failure.kind {
        FailureKind::CutOff => RequestError::retryable(failure),
        _ => RequestError::fatal(failure),
    })
}

/// A response whose status says that it holds an answer.
pub(super) fn check_status(response: Response<ureq::Body>) -> Result<Response<ureq::Body>, RequestError> {
    let status = response.status().as_u16();
    if status == 200 {
        return Ok(response);
    }
    let asked = response.headers().get("retry-after").and_then(|value| value.to_str().ok());
    let asked = asked.and_then(|value| retry_after(value, SystemTime::now()));
    let mut response = response;
    // Whoever breaks off in the middle of what it says about an error has said enough.
    let body = response.body_mut().with_config().limit(ERROR_LIMIT).lossy_utf8(true).read_to_string();
    Err(RequestError::of_status(status, asked, ServerError::read(&body.unwrap_or_default())))
}

/// The body of a response as text.
pub(super) fn read_body(response: &mut Response<ureq::Body>) -> Result<String, RequestError> {
    let body = response.body_mut().with_config().limit(ANSWER_LIMIT).lossy_utf8(true);
    body.read_to_string().map_err(|error| RequestError::of_reading(&error))
}

/// The body of a response as JSON.
pub(super) fn parse(text: &str) -> Result<Json, AnswerFailure> {
    serde_json::from_str(text).map_err(|error| {
        let kind = if error.is_eof() { FailureKind::CutOff } else { FailureKind::WrongSchema };
        kind.because("the answer of the server is no JSON")
    })
}
