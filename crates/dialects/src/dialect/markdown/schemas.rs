//! Reads the JSON Schemas of written data.

use fsmsim_core::machine::Schema;
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Diagnostics, FileId, Span};
use fsmsim_syntax::document::{Content, Node, json_place, json_reason, parse_yaml};

/// Reads a schema. Returns `None`, with a finding, if it is not JSON or not a JSON Schema.
pub(super) fn read(
    name: &str,
    file: FileId,
    text: &str,
    found: &mut Diagnostics,
) -> Option<Schema> {
    let json: serde_json::Value = match serde_json::from_str(text) {
        Ok(json) => json,
        Err(error) => {
            let at = json_place(text, &error);
            return Diagnostic::error(
                Code::BadSchema,
                format!("schema is not valid JSON: {}", json_reason(&error)),
            )
            .at(Span::new(file, at, at), "syntax error")
            .help("fix the JSON; all schemas of the directory must be valid")
            .refuse(found);
        }
    };
    let schema = match jsonschema::meta::validate(&json) {
        Err(error) => Err((error.instance_path().to_string(), error.to_string())),
        Ok(()) => Schema::new(name, json).map_err(|reason| (String::new(), reason)),
    };
    match schema {
        Ok(schema) => Some(schema),
        Err((pointer, reason)) => {
            // Details about fetching do not help the author of a schema.
            let reason = reason
                .split(" and retrieving it failed")
                .next()
                .unwrap_or_default();
            Diagnostic::error(Code::BadSchema, format!("invalid JSON Schema: {reason}"))
                .at(place(file, text, &pointer), "invalid schema")
                .help("fix the schema (see json-schema.org); references to external schemas are not supported")
                .refuse(found)
        }
    }
}

/// The location of the value at a JSON pointer. The YAML parser provides it, because JSON is valid YAML.
fn place(file: FileId, text: &str, pointer: &str) -> Span {
    let Some(root) = parse_yaml(file, text, 0, &mut Diagnostics::default()) else {
        return Span::start_of(file);
    };
    let node = pointer
        .split('/')
        .skip(1)
        .map(|step| step.replace("~1", "/").replace("~0", "~"))
        .fold(&root, |node, step| below(node, &step).unwrap_or(node));
    if pointer.is_empty() {
        Span::start_of(file)
    } else {
        node.span
    }
}

fn below<'n>(node: &'n Node, step: &str) -> Option<&'n Node> {
    match &node.content {
        Content::Map(map) => map.get(step),
        Content::List(items) => items.get(step.parse::<usize>().ok()?),
        Content::Scalar(_) => None,
    }
}
