//! Sends a request over HTTP and parses the answer.

use std::fmt::Write;
use std::time::SystemTime;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::Value as Json;
use ureq::http::{HeaderMap, Response};

use super::chat_request::ChatRequest;
use super::completion::Completion;
use super::http_client::HttpClient;
use super::request_error::{RequestError, retry_after};
use super::response_body::ResponseBody;
use super::server_error::ServerError;
use super::{anthropic, gigachat, openai};
use crate::llm::answer_failure::FailureKind;
use crate::llm::provider::{Provider, Wire};

/// Characters that need no escape in URLs.
const PLAIN: AsciiSet = NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

/// Sends a request and returns the completion.
pub(super) fn exchange(
    client: &HttpClient,
    provider: &Provider,
    request: &ChatRequest<'_>,
    headers: &HeaderMap,
) -> Result<Completion, RequestError> {
    let (path, mut body) = match &provider.wire {
        Wire::OpenAi => ("/chat/completions", openai::body(request)),
        Wire::Anthropic => ("/messages", anthropic::body(request)),
        Wire::GigaChat { .. } => ("/chat/completions", gigachat::body(request)),
    };
    for parameters in provider.layers(request.kind) {
        parameters.apply(&mut body);
    }
    let mut address = format!("{}{path}", provider.base_url);
    for ((key, value), before) in provider
        .query
        .iter()
        .zip(std::iter::once('?').chain(std::iter::repeat('&')))
    {
        let key = utf8_percent_encode(key, &PLAIN);
        let value = utf8_percent_encode(value, &PLAIN);
        let _ = write!(address, "{before}{key}={value}");
    }
    let timeout = provider
        .need(request.kind)
        .and_then(|need| need.timeout)
        .unwrap_or(provider.timeout);
    let mut post = client.post(&address, timeout)?;
    if let Some(own) = post.headers_mut() {
        for (name, value) in headers {
            own.insert(name, value.clone());
        }
    }
    let response = post
        .send(body.to_string())
        .map_err(|error| client.error_of_sending(&address, &error))?;
    let text = check_status(response)?.text()?;
    read_answer(&text, &provider.wire)
}

/// Returns the body of a successful response. Otherwise returns an error with the message of the server.
pub(super) fn check_status(response: Response<ureq::Body>) -> Result<ResponseBody, RequestError> {
    let status = response.status().as_u16();
    if status == 200 {
        return Ok(ResponseBody::read(response));
    }
    let asked = response
        .headers()
        .get("retry-after")
        .and_then(|value| value.to_str().ok())
        .and_then(|value| retry_after(value, SystemTime::now()));
    let said = ServerError::read(&ResponseBody::read(response).words());
    Err(RequestError::of_status(status, asked, Box::new(said)))
}

/// Parses the body of an answer as JSON.
pub(super) fn parse(text: &str) -> Result<Json, RequestError> {
    serde_json::from_str(text).map_err(|error| {
        let reason = "the response of the server is not JSON";
        if error.is_eof() {
            return RequestError::retryable(FailureKind::CutOff.because(reason));
        }
        RequestError::saying(
            FailureKind::WrongSchema.because(reason),
            ServerError::plain(text),
        )
    })
}

/// Extracts the completion from the body of an answer. Some servers report an error there with a successful status.
fn read_answer(text: &str, wire: &Wire) -> Result<Completion, RequestError> {
    let answer = parse(text)?;
    // A server that forwards requests to another server reports the errors of that server here.
    if let Some(said) = answer.pointer("/choices/0").and_then(ServerError::within) {
        return Err(RequestError::of_words(said));
    }
    let read = match wire {
        Wire::Anthropic => anthropic::completion(&answer),
        Wire::OpenAi | Wire::GigaChat { .. } => openai::completion(&answer),
    };
    match read {
        Ok(completion) if !completion.text().is_empty() => Ok(completion),
        read => match (ServerError::within(&answer), read) {
            (Some(said), _) => Err(RequestError::of_words(said)),
            (None, Ok(completion)) => Ok(completion),
            (None, Err(failure)) => Err(RequestError::saying(failure, ServerError::plain(text))),
        },
    }
}
