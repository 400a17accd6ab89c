//! The messages of Anthropic.

use serde_json::{Value as Json, json};

use super::chat_request::{ChatRequest, TOOL, add};
use super::completion::{Completion, broken, misshapen};
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
        "stream": request.stream,
    });
    match request.structured {
        Structured::Schema | Structured::Tool => {
            let tool =
                json!({"name": request.name, "description": TOOL, "input_schema": request.prompt.schema});
            let choice = json!({"type": "tool", "name": request.name});
            add(&mut body, [("tools", json!([tool])), ("tool_choice", choice)]);
        }
        Structured::Prompt => {}
    }
    body
}

/// What the model said, in an answer that came whole.
///
/// # Errors
/// Where the answer has another shape.
pub(super) fn whole(answer: &Json) -> Result<Completion, AnswerFailure> {
    let blocks = answer.get("content").and_then(Json::as_array).ok_or_else(|| misshapen("`content`"))?;
    let mut completion = Completion::default();
    for block in blocks {
        match block.get("type").and_then(Json::as_str) {
            Some("text") => completion.say(block.get("text")),
            Some("tool_use") => completion.argue(block.get("input")),
            _ => {}
        }
    }
    completion.stop(answer.get("stop_reason"));
    usage(answer, &mut completion);
    Ok(completion)
}

/// Adds a piece of an answer that comes piece by piece; whether it was the last.
///
/// # Errors
/// Where the server tells of a failure, or the piece is none.
pub(super) fn piece(data: &str, completion: &mut Completion) -> Result<bool, AnswerFailure> {
    let piece: Json = serde_json::from_str(data).map_err(|_| misshapen("JSON in one of its pieces"))?;
    match piece.get("type").and_then(Json::as_str) {
        Some("message_start") => usage(piece.get("message").unwrap_or(&Json::Null), completion),
        Some("content_block_start") => completion.say(piece.pointer("/content_block/text")),
        Some("content_block_delta") => {
            completion.say(piece.pointer("/delta/text"));
            completion.argue(piece.pointer("/delta/partial_json"));
        }
        Some("message_delta") => {
            completion.stop(piece.pointer("/delta/stop_reason"));
            usage(&piece, completion);
        }
        Some("message_stop") => return Ok(true),
        Some("error") => return Err(broken()),
        _ => {}
    }
    Ok(false)
}

/// What was asked counts whole: the server tells what it remembered of it apart.
fn usage(answer: &Json, completion: &mut Completion) {
    let count = |key: &str| answer.get("usage").and_then(|usage| usage.get(key)).and_then(Json::as_u64);
    let remembered =
        ["cache_creation_input_tokens", "cache_read_input_tokens"].map(|key| count(key).unwrap_or(0));
    let asked = count("input_tokens")
        .map(|asked| remembered.iter().fold(asked, |sum, more| sum.saturating_add(*more)));
    completion.count(asked, count("output_tokens"));
}
