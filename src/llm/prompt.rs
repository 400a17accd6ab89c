//! What a model is asked, and what its words mean.

use std::fmt::Write;

use serde_json::{Value as Json, json};

use super::answerer::{Failure, FailureKind, Request};
use crate::engine::Need;
use crate::machine::{Machine, SlotId, Value};

/// What a model is asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Prompt {
    /// How it is to answer.
    pub(super) system: String,
    /// What it is to look at.
    pub(super) user: String,
    /// The JSON Schema of the answer.
    pub(super) schema: Json,
}

/// Intents that a prompt names beside those of the state.
const INTENTS: usize = 400;

impl Prompt {
    /// The prompt for a request.
    pub(super) fn of(request: &Request<'_>) -> Self {
        match request.need {
            Need::Classify { .. } => Self::classify(request),
            Need::Decide { .. } => Self::decide(request),
        }
    }

    fn classify(request: &Request<'_>) -> Self {
        let machine = request.machine;
        let mut system = String::from(
            "You read what a user says in a dialogue. Answer only with a JSON object: \
             {\"intent\": NAME, \"confidence\": NUMBER FROM 0 TO 1, \"data\": {SLOT: VALUE}}. \
             `intent` is one of the names below; `data` holds only what the user said.\n",
        );
        let here = machine.state(request.need.state());
        let tables = here.rules.iter().chain(here.transitions.iter());
        let mut likely: Vec<&str> = tables.map(|(intent, _)| machine.names.intents.name(intent)).collect();
        likely.dedup();
        let _ = writeln!(system, "Likely intents: {}.", likely.join(", "));
        let others: Vec<&str> =
            machine.names.intents.iter().filter(|name| !likely.contains(name)).take(INTENTS).collect();
        let _ = writeln!(system, "Other intents: {}.", others.join(", "));
        let _ = writeln!(system, "Slots: {}.", slots(machine, &[&here.required, &here.optional]));
        let intents: Vec<&str> = likely.iter().copied().chain(others).collect();
        let schema = json!({
            "type": "object",
            "properties": {
                "intent": {"type": "string", "enum": intents},
                "confidence": {"type": "number", "minimum": 0, "maximum": 1},
                "data": {"type": "object"},
            },
            "required": ["intent", "confidence"],
        });
        let say = request.say.unwrap_or_default();
        let goal = here.goal.as_deref().unwrap_or_default();
        Self { system, user: format!("State: {} ({goal})\nThe user says: {say}", request.state()), schema }
    }

    fn decide(request: &Request<'_>) -> Self {
        let machine = request.machine;
        let targets = machine.declared_states().map(|(id, _)| machine.names.states.name(id));
        let targets: Vec<&str> = targets.collect();
        let schema = json!({
            "type": "object",
            "properties": {
                "should_transition": {"type": "boolean"},
                "next_state": {"enum": targets},
                "reasoning": {"type": "string"},
            },
            "required": ["should_transition"],
        });
        let system = format!(
            "You decide how a dialogue goes on. Answer only with a JSON object: \
             {{\"should_transition\": BOOLEAN, \"next_state\": NAME OR null, \"reasoning\": TEXT}}. States: {}.",
            targets.join(", ")
        );
        let say = request.say.unwrap_or_default();
        Self { system, user: format!("State: {}\nThe user says: {say}", request.state()), schema }
    }
}

fn slots(machine: &Machine, lists: &[&[SlotId]]) -> String {
    let slots = lists.iter().flat_map(|list| list.iter());
    slots.map(|slot| machine.names.slots.name(*slot)).collect::<Vec<_>>().join(", ")
}

/// The words of a model as an answer.
///
/// # Errors
/// Where they are no JSON object, or not the one that was asked for.
pub(super) fn read(words: &str, request: &Request<'_>) -> Result<Value, Failure> {
    let wrong = |reason: &str| Failure { kind: FailureKind::WrongSchema, reason: reason.to_owned() };
    let words = words.trim();
    if words.is_empty() {
        return Err(FailureKind::Empty.failure());
    }
    // Models like to put a fence or a few words around their JSON.
    let object = words.find('{').and_then(|from| words.get(from..=words.rfind('}')?));
    let Some(object) = object else {
        return Err(wrong("the answer is no JSON object"));
    };
    let value: serde_json::Value = serde_json::from_str(object).map_err(|error| {
        let kind = if error.is_eof() { FailureKind::CutOff } else { FailureKind::WrongSchema };
        Failure { kind, reason: "the answer is no valid JSON".to_owned() }
    })?;
    let value = Value::from(value);
    match request.need {
        Need::Classify { .. } => {
            let intent = value.get("intent").and_then(Value::as_text).unwrap_or_default();
            if request.machine.names.intents.id(intent).is_none() {
                return Err(wrong("the answer names no intent of the model"));
            }
            let confidence = value.get("confidence").and_then(Value::as_number);
            if confidence.is_some_and(|confidence| !(0.0..=1.0).contains(&confidence)) {
                return Err(wrong("`confidence` of the answer is not between 0 and 1"));
            }
            if !matches!(value.get("data"), None | Some(Value::Null | Value::Map(_))) {
                return Err(wrong("`data` of the answer is no map"));
            }
        }
        Need::Decide { .. } => {
            if !matches!(value.get("should_transition"), Some(Value::Bool(_))) {
                return Err(wrong("`should_transition` of the answer is neither true nor false"));
            }
        }
    }
    Ok(value)
}
