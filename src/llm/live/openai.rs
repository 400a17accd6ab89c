//! The chat completions of `OpenAI`, which hosted services, Ollama, llama.cpp and vLLM speak.

use serde_json::{Value as Json, json};

use super::chat_request::{ChatRequest, TOOL, add};
use super::completion::{Completion, malformed};
use crate::llm::answerer::AnswerFailure;
use crate::llm::provider::Structured;

/// What is sent.
pub(super) fn body(request: &ChatRequest<'_>) -> Json {
    let mut body = json!({
        "model": request.model,
        "messages": request.messages_with_system(),
        "temperature": request.sampling.temperature,
        "max_tokens": request.sampling.max_tokens,
        "stream": false,
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
    body
}

/// What the model said, in the answer of its server.
///
/// # Errors
/// Where the answer has another shape.
pub(super) fn completion(answer: &Json) -> Result<Completion, AnswerFailure> {
    let choice = answer.pointer("/choices/0").ok_or_else(|| malformed("`choices[0].message`"))?;
    let message =
        choice.get("message").filter(|message| message.is_object()).ok_or_else(|| malformed("`choices[0].message`"))?;
    let mut completion = Completion::default();
    completion.add_content(message.get("content"));
    completion.add_arguments(message.pointer("/tool_calls/0/function/arguments"));
    // As `GigaChat` tells it, and `OpenAI` did before it had tools.
    completion.add_arguments(message.pointer("/function_call/arguments"));
    let count = |key: &str| answer.get("usage").and_then(|usage| usage.get(key)).and_then(Json::as_u64);
    Ok(completion.finish(choice.get("finish_reason"), count("prompt_tokens"), count("completion_tokens")))
}
