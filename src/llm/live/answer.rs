//! The answer in the words of a model.

use serde_json::Value as Json;

use crate::llm::answerer::{AnswerFailure, FailureKind};
use crate::llm::task::Task;
use crate::machine::Value;

/// The JSON object in the words of a model.
///
/// # Errors
/// Where there is none.
pub(super) fn json_object(words: &str) -> Result<Json, AnswerFailure> {
    let words = words.trim();
    if words.is_empty() {
        return Err(FailureKind::Empty.failure());
    }
    // Models like to put a fence or a few words around their JSON.
    let Some(begin) = words.find('{') else {
        return Err(wrong_schema("the answer is no JSON object"));
    };
    let end = words.rfind('}').map_or(words.len(), |at| at + 1);
    let object = words.get(begin..end).or_else(|| words.get(begin..)).unwrap_or_default();
    serde_json::from_str(object).map_err(|error| {
        let kind = if error.is_eof() { FailureKind::CutOff } else { FailureKind::WrongSchema };
        AnswerFailure { kind, reason: "the answer is no valid JSON".to_owned() }
    })
}

/// What a model says as an answer, where it is the one that was asked for.
///
/// # Errors
/// What is wrong with it.
pub(super) fn accept(answer: Json, task: &Task<'_>) -> Result<Value, AnswerFailure> {
    let value = Value::from(answer);
    task.kind().check(&value)?;
    if let Task::Classify { intents, .. } = task {
        let intent = value.get("intent").and_then(Value::as_text).unwrap_or_default();
        if !intents.iter().any(|offer| offer.intent == intent) {
            return Err(wrong_schema("the answer names no intent of the model"));
        }
    }
    Ok(value)
}

fn wrong_schema(reason: &str) -> AnswerFailure {
    AnswerFailure { kind: FailureKind::WrongSchema, reason: reason.to_owned() }
}
