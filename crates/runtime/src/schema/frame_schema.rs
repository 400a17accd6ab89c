//! The JSON Schema of the frames of a model, with its classes of turns.

use serde_json::{Map as JsonMap, Value as Json, json};

use fsmsim_core::engine::Machine;
use fsmsim_core::machine::{FieldKind, Frame, FrameField, Value};
use fsmsim_syntax::diagnostic::Diagnostics;
use fsmsim_syntax::document::parse_yaml;

/// The JSON Schema of the frames in the records of a model. `x-classes` contains the registry of its classes. `None` if
/// the model has no frames.
pub fn frame_schema(machine: &Machine) -> Option<Json> {
    if machine.frames.is_empty() {
        return None;
    }
    let frames = machine.frames.iter();
    let frames: JsonMap<String, Json> = frames
        .map(|frame| (frame.name.to_string(), schema_of(frame)))
        .collect();
    Some(json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": format!("fsmsim: frames of {}", machine.header.name),
        "type": "object",
        "properties": frames,
        "additionalProperties": false,
        "x-classes": classes(machine),
    }))
}

fn schema_of(frame: &Frame) -> Json {
    let field_schema = |field: &FrameField| {
        let schema = match &field.kind {
            FieldKind::Text | FieldKind::Reference => json!({"type": "string"}),
            FieldKind::Number => json!({"type": "number"}),
            FieldKind::Flag => json!({"type": "boolean"}),
            FieldKind::List => json!({"type": "array"}),
            FieldKind::OneOf(values) => json!({"enum": values}),
        };
        (field.name.to_string(), schema)
    };
    let fields: JsonMap<String, Json> = frame.fields.iter().map(field_schema).collect();
    let part: &str = frame.part.into();
    json!({
        "type": "object",
        "properties": fields,
        "additionalProperties": false,
        "x-carried": part,
    })
}

/// The declarations of the classes as written, with all references resolved.
fn classes(machine: &Machine) -> Option<Json> {
    let policies = machine.policies.facts();
    let mut items = policies.flat_map(|policy| policy.coverage_items(machine));
    let file = items.find_map(|item| item.span)?.file;
    let text = machine.files.text(file);
    let root = parse_yaml(file, &text, 0, &mut Diagnostics::default())?;
    serde_json::to_value(Value::from(root.get("classes")?)).ok()
}
