//! One request over HTTP, and what came back.

use std::io::BufReader;
use std::time::SystemTime;

use serde_json::Value as Json;
use ureq::http::{HeaderMap, Response};

use super::chat_request::ChatRequest;
use super::completion::Completion;
use super::request_error::{RequestError, retry_after};
use super::sse_reader::SseReader;
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
    head: HeaderMap,
) -> Result<Completion, RequestError> {
    let (path, body) = match &provider.wire {
        Wire::OpenAi => ("/chat/completions", openai::body(request)),
        Wire::Anthropic => ("/messages", anthropic::body(request)),
        Wire::GigaChat { .. } => ("/chat/completions", gigachat::body(request)),
    };
    let mut post = agent.post(format!("{}{path}", provider.base_url));
    if let Some(headers) = post.headers_mut() {
        headers.extend(head);
    }
    let response = post.send(body.to_string()).map_err(|error| RequestError::of_sending(&error))?;
    let mut response = accepted(response)?;
    let kind = response.headers().get("content-type").and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    // A server that does not know streams may still answer, in one piece.
    if request.stream && kind.starts_with("text/event-stream") {
        return stream(&provider.wire, &mut response);
    }
    let text = read(&mut response)?;
    let whole = match provider.wire {
        Wire::Anthropic => anthropic::whole,
        Wire::OpenAi | Wire::GigaChat { .. } => openai::whole,
    };
    json(&text).and_then(|answer| whole(&answer)).map_err(|failure| match failure.kind {
        FailureKind::CutOff => RequestError::passing(failure),
        _ => RequestError::last(failure),
    })
}

/// An answer that comes piece by piece.
fn stream(wire: &Wire, response: &mut Response<ureq::Body>) -> Result<Completion, RequestError> {
    let piece = match wire {
        Wire::Anthropic => anthropic::piece,
        Wire::OpenAi | Wire::GigaChat { .. } => openai::piece,
    };
    let reader = response.body_mut().with_config().limit(ANSWER_LIMIT).reader();
    let mut events = SseReader::new(BufReader::new(reader));
    let mut completion = Completion::default();
    while let Some(data) = events.next().map_err(|error| RequestError::of_reading(&error.into()))? {
        let last = piece(&data, &mut completion).map_err(|failure| match failure.kind {
            FailureKind::ServerError => RequestError::passing(failure),
            _ => RequestError::last(failure),
        })?;
        if last {
            return Ok(completion);
        }
    }
    Err(RequestError::passing(FailureKind::CutOff.failure()))
}

/// A response whose status says that it holds an answer.
pub(super) fn accepted(response: Response<ureq::Body>) -> Result<Response<ureq::Body>, RequestError> {
    let status = response.status().as_u16();
    if status == 200 {
        return Ok(response);
    }
    let asked = response.headers().get("retry-after").and_then(|value| value.to_str().ok());
    Err(RequestError::of_status(status, asked.and_then(|value| retry_after(value, SystemTime::now()))))
}

/// The body of a response as text.
pub(super) fn read(response: &mut Response<ureq::Body>) -> Result<String, RequestError> {
    let body = response.body_mut().with_config().limit(ANSWER_LIMIT).lossy_utf8(true);
    body.read_to_string().map_err(|error| RequestError::of_reading(&error))
}

/// The body of a response as JSON.
pub(super) fn json(text: &str) -> Result<Json, AnswerFailure> {
    serde_json::from_str(text).map_err(|error| {
        let kind = if error.is_eof() { FailureKind::CutOff } else { FailureKind::WrongSchema };
        AnswerFailure { kind, reason: "the answer of the server is no JSON".to_owned() }
    })
}
