//! Explains why a server refuses a request, and suggests a fix.

use super::chat_request::ChatRequest;
use super::request_error::RequestError;
use crate::llm::answer_failure::FailureKind;
use crate::llm::body_parameters::BodyParameters;
use crate::llm::provider::{Provider, Structured, Wire};

/// Phrases in server messages about a request that is too long. Another structured output mode does not make the
/// request shorter.
const TOO_LONG: [&str; 4] = [
    "context length",
    "context_length",
    "context size",
    "too long",
];

/// Keys that some requests contain by default.
const UNASKED: [&str; 1] = ["max_tokens"];

/// Adds the message of the server to an error, and a fix if one is known. `clean` removes secrets.
pub(super) fn explain(
    mut error: RequestError,
    provider: &Provider,
    request: &ChatRequest<'_>,
    clean: &dyn Fn(&str) -> String,
) -> RequestError {
    let said = &error.said;
    let name = &provider.name;
    let shown = said.shown(clean);
    let Some(status) = error.status else {
        let page = if said.is_page() {
            format!("; check `base_url` of `{name}`")
        } else {
            String::new()
        };
        if !shown.is_empty() {
            error.failure.reason = format!("{}{page}: {shown}", error.failure.reason);
        }
        return error;
    };
    let details = if shown.is_empty() {
        format!("status {status}")
    } else {
        format!("status {status}: {shown}")
    };
    if said.is_filtered() {
        error.failure = FailureKind::Declined.because(format!("the answer was refused: {shown}"));
        error.is_retryable = false;
        return error;
    }
    if said.is_about_the_model(status) {
        let model = request.model;
        let reason = format!("unknown model `{model}`: check `model` of `{name}` ({details})");
        error.failure = FailureKind::ServerError.because(reason);
        error.is_retryable = false;
        return error;
    }
    if said.is_out_of_funds() {
        error.is_retryable = false;
    }
    if matches!(status, 400 | 404 | 422) {
        let is_about_a_way = said.is_about_a_way();
        let ours = || provider.layers(request.kind).flat_map(BodyParameters::keys);
        if let Some(param) = said.names(ours()).filter(|_| !is_about_a_way) {
            let is_of_need = provider
                .need(request.kind)
                .is_some_and(|need| need.parameters.adds(param));
            let table = if is_of_need {
                format!("needs.{}.params", request.name())
            } else {
                "params".to_owned()
            };
            let reason = format!(
                "the server rejects `{param}`: remove it from `{table}` of `{name}` ({details})"
            );
            error.failure = FailureKind::ServerError.because(reason);
            return error;
        }
        // If the request lacks the key, the message means that the key is required. Otherwise the server needs another
        // number.
        let unasked = UNASKED
            .into_iter()
            .filter(|key| sends(provider, request, key));
        if let Some(param) = said.names(unasked).filter(|_| !is_about_a_way) {
            let reason = format!(
                "the server rejects the default of `{param}`: set `params = {{{param} = N}}` for `{name}` ({details})"
            );
            error.failure = FailureKind::ServerError.because(reason);
            return error;
        }
        // An unknown error might be about the structured output mode.
        let is_long = TOO_LONG
            .iter()
            .any(|words| said.message.to_lowercase().contains(words));
        let may_mean_a_way = status != 404 && !is_long && !said.has_param();
        error.blames_way =
            request.structured != Structured::Prompt && (is_about_a_way || may_mean_a_way);
    }
    if status == 404 && said.names_path() {
        error.failure.reason = format!(
            "{}: check `base_url` of `{name}`: {shown}",
            error.failure.reason
        );
    } else if !shown.is_empty() {
        error.failure.reason = format!("{}: {shown}", error.failure.reason);
    } else if status == 404 {
        error.failure.reason = format!(
            "{}: check `base_url` and `model` of `{name}`",
            error.failure.reason
        );
    }
    error
}

/// Whether requests contain this key by default.
fn sends(provider: &Provider, request: &ChatRequest<'_>, key: &str) -> bool {
    let is_out = provider
        .layers(request.kind)
        .any(|layer| layer.decides(key));
    provider.wire == Wire::Anthropic && !is_out
}
