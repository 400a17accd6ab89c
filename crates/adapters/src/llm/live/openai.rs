//! The chat completions API of `OpenAI`, which hosted services, Ollama, llama.cpp and vLLM support.

use serde_json::{Value as Json, json};

use super::chat_request::{ChatRequest, TOOL, add};
use super::completion::{Completion, malformed};
use crate::llm::answer_failure::AnswerFailure;
use crate::llm::provider::Structured;
use crate::llm::tokens::Tokens;

/// The body of a request.
pub(super) fn body(request: &ChatRequest<'_>) -> Json {
    let mut body = json!({"model": request.model, "messages": request.messages_with_system()});
    let schema = &request.prompt.schema;
    let name = request.name();
    match request.structured {
        Structured::Schema => {
            let schema = match request.strict {
                Some(strict) => json!({"name": name, "strict": true, "schema": strict.schema()}),
                None => json!({"name": name, "schema": schema}),
            };
            add(
                &mut body,
                [(
                    "response_format",
                    json!({"type": "json_schema", "json_schema": schema}),
                )],
            );
        }
        Structured::Tool => {
            let tool = json!({"name": name, "description": TOOL, "parameters": schema});
            let choice = json!({"type": "function", "function": {"name": name}});
            let tools = json!([{"type": "function", "function": tool}]);
            add(&mut body, [("tools", tools), ("tool_choice", choice)]);
        }
        Structured::Prompt => {}
    }
    body
}

/// Extracts the completion from the answer of a server.
pub(super) fn completion(answer: &Json) -> Result<Completion, AnswerFailure> {
    let choice = answer
        .pointer("/choices/0")
        .ok_or_else(|| malformed("`choices[0].message`"))?;
    let message = choice
        .get("message")
        .filter(|message| message.is_object())
        .ok_or_else(|| malformed("`choices[0].message`"))?;
    let mut completion = Completion::default();
    completion.add_content(message.get("content"));
    completion.add_refusal(message.get("refusal"));
    completion.add_arguments(message.pointer("/tool_calls/0/function/arguments"));
    // The format of `GigaChat`, and of `OpenAI` before it had tools.
    completion.add_arguments(message.pointer("/function_call/arguments"));
    // Servers put the reasoning of a model here. It is not searched for an answer.
    let thoughts = ["reasoning_content", "reasoning"]
        .iter()
        .filter_map(|key| message.get(*key)?.as_str());
    completion.thought |= thoughts.into_iter().any(|text| !text.is_empty());
    Ok(completion.finish(choice.get("finish_reason"), tokens(answer)))
}

/// The tokens used. These servers include cached tokens in the input tokens.
fn tokens(answer: &Json) -> Tokens {
    let count = |place: &str| {
        answer
            .get("usage")
            .and_then(|usage| usage.pointer(place))
            .and_then(Json::as_u64)
    };
    let cached = [
        "/prompt_tokens_details/cached_tokens",
        "/prompt_cache_hit_tokens",
        "/precached_prompt_tokens",
    ];
    Tokens {
        asked: count("/prompt_tokens").unwrap_or(0),
        answered: count("/completion_tokens").unwrap_or(0),
        cached: cached.into_iter().find_map(count).unwrap_or(0),
    }
}
