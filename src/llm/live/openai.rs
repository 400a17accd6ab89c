//! The chat completions of `OpenAI`, which hosted services, Ollama, llama.cpp and vLLM speak.

use serde_json::{Value as Json, json};

use super::chat_request::{ChatRequest, TOOL, add};
use super::completion::{Completion, broken, misshapen};
use crate::llm::answerer::AnswerFailure;
use crate::llm::provider::Structured;

/// What is sent.
pub(super) fn body(request: &ChatRequest<'_>) -> Json {
    let mut body = json!({
        "model": request.model,
        "messages": request.messages_with_system(),
        "temperature": request.sampling.temperature,
        "max_tokens": request.sampling.max_tokens,
        "stream": request.stream,
    });
    let schema = &request.prompt.schema;
    match request.structured {
        Structured::Schema => {
            let schema = json!({"name": request.name, "schema": schema});
            add(&mut body, [("response_format", json!({"type": "json_schema", "json_schema": schema}))]);
        }
        Structured::Tool => {
            let tool = json!({"name": request.name, "description": TOOL, "parameters": schema});
            let choice = json!({"type": "function", "function": {"name": request.name}});
            let tools = json!([{"type": "function", "function": tool}]);
            add(&mut body, [("tools", tools), ("tool_choice", choice)]);
        }
        Structured::Prompt => {}
    }
    if request.stream {
        add(&mut body, [("stream_options", json!({"include_usage": true}))]);
    }
    body
}

/// What the model said, in an answer that came whole.
///
/// # Errors
/// Where the answer has another shape.
pub(super) fn whole(answer: &Json) -> Result<Completion, AnswerFailure> {
    let choice = answer.pointer("/choices/0").ok_or_else(|| misshapen("`choices[0].message`"))?;
    let message = choice
        .get("message")
        .filter(|message| message.is_object())
        .ok_or_else(|| misshapen("`choices[0].message`"))?;
    let mut completion = Completion::default();
    take(message, &mut completion);
    completion.stop(choice.get("finish_reason"));
    usage(answer, &mut completion);
    Ok(completion)
}

/// Adds a piece of an answer that comes piece by piece; whether it was the last.
///
/// # Errors
/// Where the server tells of a failure, or the piece is none.
pub(super) fn piece(data: &str, completion: &mut Completion) -> Result<bool, AnswerFailure> {
    if data.trim() == "[DONE]" {
        return Ok(true);
    }
    let piece: Json = serde_json::from_str(data).map_err(|_| misshapen("JSON in one of its pieces"))?;
    if piece.get("error").is_some_and(|error| !error.is_null()) {
        return Err(broken());
    }
    // The last piece before the end may have no choice, only the counts.
    if let Some(choice) = piece.pointer("/choices/0") {
        if let Some(delta) = choice.get("delta") {
            take(delta, completion);
        }
        completion.stop(choice.get("finish_reason"));
    }
    usage(&piece, completion);
    Ok(false)
}

/// Words and arguments of a message, or of a piece of one.
fn take(message: &Json, completion: &mut Completion) {
    completion.say(message.get("content"));
    completion.argue(message.pointer("/tool_calls/0/function/arguments"));
    // As `GigaChat` tells it, and `OpenAI` did before it had tools.
    completion.argue(message.pointer("/function_call/arguments"));
}

fn usage(answer: &Json, completion: &mut Completion) {
    let count = |key: &str| answer.get("usage").and_then(|usage| usage.get(key)).and_then(Json::as_u64);
    completion.count(count("prompt_tokens"), count("completion_tokens"));
}
