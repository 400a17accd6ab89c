//! The Messages API of Anthropic.

use serde_json::{Value as Json, json};

use super::chat_request::{ChatRequest, TOOL, add};
use super::completion::{Completion, malformed};
use crate::llm::answer_failure::AnswerFailure;
use crate::llm::provider::Structured;
use crate::llm::tokens::Tokens;

/// The API version.
pub(super) const VERSION: &str = "2023-06-01";
/// Default maximum number of tokens in an answer. These servers require a number.
const MAX_TOKENS: u32 = 4096;

/// The body of a request.
pub(super) fn body(request: &ChatRequest<'_>) -> Json {
    let system = &request.prompt.system;
    let system = if request.cache {
        json!([{"type": "text", "text": system, "cache_control": {"type": "ephemeral"}}])
    } else {
        json!(system)
    };
    let mut body = json!({
        "model": request.model,
        "max_tokens": MAX_TOKENS,
        "system": system,
        "messages": request.messages().collect::<Vec<Json>>(),
    });
    match (request.structured, request.strict) {
        (Structured::Schema, Some(strict)) => {
            let format = json!({"type": "json_schema", "schema": strict.schema()});
            add(&mut body, [("output_config", json!({"format": format}))]);
        }
        // A schema without a strict form becomes the schema of a tool.
        (Structured::Schema, None) | (Structured::Tool, _) => {
            let name = request.name();
            let tool =
                json!({"name": name, "description": TOOL, "input_schema": request.prompt.schema});
            let choice = json!({"type": "tool", "name": name});
            add(
                &mut body,
                [("tools", json!([tool])), ("tool_choice", choice)],
            );
        }
        (Structured::Prompt, _) => {}
    }
    body
}

/// Extracts the completion from the answer of a server.
pub(super) fn completion(answer: &Json) -> Result<Completion, AnswerFailure> {
    let blocks = answer
        .get("content")
        .and_then(Json::as_array)
        .ok_or_else(|| malformed("`content`"))?;
    let mut completion = Completion::default();
    for block in blocks {
        completion.add_part(block);
    }
    Ok(completion.finish(answer.get("stop_reason"), tokens(answer)))
}

/// The tokens used. The server counts cached input separately, so it is added.
fn tokens(answer: &Json) -> Tokens {
    let usage = answer.get("usage");
    let count = |key: &str| {
        usage
            .and_then(|usage| usage.get(key))
            .and_then(Json::as_u64)
            .unwrap_or(0)
    };
    let cached = count("cache_read_input_tokens");
    let asked = count("input_tokens")
        .saturating_add(count("cache_creation_input_tokens"))
        .saturating_add(cached);
    Tokens {
        asked,
        answered: count("output_tokens"),
        cached,
    }
}
