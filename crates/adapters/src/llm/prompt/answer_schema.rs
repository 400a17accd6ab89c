//! The JSON Schema of an answer, with the names to choose from.

use serde::Serialize;
use serde_json::{Map, Value as Json, json};

use crate::limits::MAX_ALTERNATIVES;
use crate::llm::task::Task;
use crate::recognizer::SlotOffer;
use fsmsim_core::engine::TONES;
use fsmsim_core::machine::{SlotDeclaration, SlotKind};

/// The schema of the answer to a task.
pub(super) fn of(task: &Task<'_>) -> Json {
    let mut schema = task.kind().schema();
    match task {
        Task::Classify(reading) => {
            let names: Vec<&str> = reading.intents.iter().map(|offer| offer.intent).collect();
            choose(&mut schema, "/properties/intent", &names);
            choose(
                &mut schema,
                "/properties/alternatives/items/properties/intent",
                &names,
            );
            choose(&mut schema, "/properties/also/items", &names);
            let tones: Vec<Option<&str>> = TONES.iter().copied().map(Some).chain([None]).collect();
            choose(&mut schema, "/properties/tone", &tones);
            if let Some(list) = schema
                .pointer_mut("/properties/alternatives")
                .and_then(Json::as_object_mut)
            {
                list.insert("maxItems".to_owned(), MAX_ALTERNATIVES.into());
            }
            if let Some(data) = schema.pointer_mut("/properties/data") {
                let slots: Map<String, Json> = reading
                    .slots
                    .iter()
                    .map(|slot| (slot.name.to_owned(), slot_schema(slot)))
                    .collect();
                *data = json!({"type": ["object", "null"], "properties": slots, "additionalProperties": false});
            }
        }
        Task::Navigate { targets, .. } => {
            choose_or_null(&mut schema, "/properties/target", targets);
        }
        Task::Decide { targets, .. } => {
            let names: Vec<&str> = targets.iter().map(|target| target.state).collect();
            choose_or_null(&mut schema, "/properties/next_state", &names);
        }
        Task::Assess { points, .. } => {
            let names: Vec<&str> = points.iter().map(|goal| goal.id).collect();
            choose(
                &mut schema,
                "/properties/for/items/properties/point",
                &names,
            );
        }
        Task::Work { .. } | Task::Phrase { .. } | Task::Judge { .. } | Task::PlayUser(_) => {}
    }
    schema
}

/// The schema of a slot value. Any type if none is declared.
fn slot_schema(slot: &SlotOffer<'_>) -> Json {
    let SlotDeclaration {
        kind,
        values,
        least,
        most,
        ..
    } = slot.declared;
    let Some(kind) = *kind else { return anything() };
    if kind == SlotKind::List {
        let items = if values.is_empty() {
            plain()
        } else {
            json!({"enum": values})
        };
        return json!({"type": "array", "items": items});
    }
    if !values.is_empty() {
        return json!({"enum": values});
    }
    let name = if kind == SlotKind::Text {
        "string"
    } else {
        kind.name()
    };
    let mut schema = Map::from_iter([("type".to_owned(), name.into())]);
    let bounds = [("minimum", least), ("maximum", most)];
    schema.extend(bounds.into_iter().filter_map(|(key, bound)| {
        let number = (*bound)?.get();
        #[expect(
            clippy::cast_possible_truncation,
            reason = "the number is a small integer"
        )]
        let bound = if number.fract() == 0.0 && number.abs() < 9e15 {
            json!(number as i64)
        } else {
            json!(number)
        };
        Some((key.to_owned(), bound))
    }));
    Json::Object(schema)
}

/// A string, a number or a boolean.
fn plain() -> Json {
    json!({"anyOf": [{"type": "string"}, {"type": "number"}, {"type": "boolean"}]})
}

/// A string, a number, a boolean, or a list of strings. A completely open type would have no strict form.
fn anything() -> Json {
    let texts = json!({"type": "array", "items": {"type": "string"}});
    json!({"anyOf": [{"type": "string"}, {"type": "number"}, {"type": "boolean"}, texts]})
}

fn choose<T: Serialize>(schema: &mut Json, place: &str, names: &[T]) {
    if let Some(property) = schema.pointer_mut(place) {
        *property = json!({"enum": names});
    }
}

fn choose_or_null(schema: &mut Json, place: &str, names: &[&str]) {
    let names: Vec<Option<&str>> = names.iter().copied().map(Some).chain([None]).collect();
    choose(schema, place, &names);
}
