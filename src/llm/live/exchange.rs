//! One request over HTTP, and what came back.

use std::time::SystemTime;

use serde_json::Value as Json;
use ureq::http::{HeaderMap, Response};

use super::chat_request::ChatRequest;
use super::completion::Completion;
use super::request_error::{RequestError, retry_after};
use super::{anthropic, gigachat, openai};
use crate::llm::answerer::{AnswerFailure, FailureKind};
use crate::llm::provider::{Provider, Wire};

/// The largest answer that is read, in bytes.
const ANSWER_LIMIT: u64 = 1 << 20;

/// One request and its answer.
pub(super) fn exchange(
    agent: &ureq::Agent,
    provider: &Provider,
    request: &ChatRequest<'_>,
    headers: HeaderMap,
) -> Result<Completion, RequestError> {
    let (path, body) = match &provider.wire {
        Wire::OpenAi => ("/chat/completions", openai::body(request)),
        Wire::Anthropic => ("/messages", anthropic::body(request)),
        Wire::GigaChat { .. } => ("/chat/completions", gigachat::body(request)),
    };
    let mut post = agent.post(format!("{}{path}", provider.base_url));
    if let Some(own) = post.headers_mut() {
        own.extend(headers);
    }
    let response = post.send(body.to_string()).map_err(|error| RequestError::of_sending(&error))?;
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
    Err(RequestError::of_status(status, asked.and_then(|value| retry_after(value, SystemTime::now()))))
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
