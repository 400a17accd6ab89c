//! The messages of Anthropic.

use serde_json::{Value as Json, json};

use super::chat_request::{ChatRequest, TOOL, add};
use super::completion::{Completion, malformed};
use crate::llm::answerer::AnswerFailure;
use crate::llm::provider::Structured;

/// The version of the messages.
pub(super) const VERSION: &str = "2023-06-01";

/// What is sent.
pub(super) fn body(request: &ChatRequest<'_>) -> Json {
    let mut body = json!({
        "model": request.model,
        "system": request.prompt.system,
        "messages": request.messages().collect::<Vec<Json>>(),
        "temperature": request.sampling.temperature,
        "max_tokens": request.sampling.max_tokens,
        "stream": false,
    });
    match request.structured {
        Structured::Schema | Structured::Tool => {
            let tool = json!({"name": request.name, "description": TOOL, "input_schema": request.prompt.schema});
            let choice = json!({"type": "tool", "name": request.name});
            add(&mut body, [("tools", json!([tool])), ("tool_choice", choice)]);
        }
        Structured::Prompt => {}
    }
    body
}

/// What the model said, in the answer of its server.
///
/// # Errors
/// Where the answer has another shape.
pub(super) fn completion(answer: &Json) -> Result<Completion, AnswerFailure> {
    let blocks = answer.get("content").and_then(Json::as_array).ok_or_else(|| malformed("`content`"))?;
    let mut completion = Completion::default();
    for block in blocks {
        match block.get("type").and_then(Json::as_str) {
            Some("text") => completion.add_content(block.get("text")),
            Some("tool_use") => completion.add_arguments(block.get("input")),
            _ => {}
        }
    }
    let count = |key: &str| answer.get("usage").and_then(|usage| usage.get(key)).and_then(Json::as_u64);
    // What was asked counts whole: the server tells what it has in its cache apart.
    let cached = ["cache_creation_input_tokens", "cache_read_input_tokens"];
    let cached = cached.into_iter().filter_map(count).fold(0, u64::saturating_add);
    let prompt = count("input_tokens").map(|count| count.saturating_add(cached));
    Ok(completion.finish(answer.get("stop_reason"), prompt, count("output_tokens")))
}
