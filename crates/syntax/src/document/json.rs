//! JSON text as a tree with positions.

use serde::de::IgnoredAny;

use super::json_tree::json_tree;
use super::node::{Content, Key, Map, Node, Scalar};
use super::yaml::parse_yaml;
use crate::diagnostic::{Code, Diagnostic, Diagnostics, FileId, Span};

/// Parses a JSON value that starts at byte `start` of the file and takes up all of `text`. JSON that is invalid as
/// YAML, such as duplicate keys, is reported as for YAML. JSON that YAML cannot represent (surrogate pairs, very long
/// keys) is valid; each of its nodes has the position of the entire text.
pub fn parse_json(file: FileId, text: &str, start: usize, found: &mut Diagnostics) -> Option<Node> {
    parse_json_or(
        file,
        text,
        start,
        "write one JSON object per line, one for each dialogue",
        found,
    )
}

/// Like `parse_json`, with a different `help` for invalid JSON.
pub fn parse_json_or(
    file: FileId,
    text: &str,
    start: usize,
    help: &str,
    found: &mut Diagnostics,
) -> Option<Node> {
    if let Some(node) = json_tree(file, text, start) {
        return Some(node);
    }
    // The YAML parser also accepts text that is not JSON, and it ignores text after a value.
    if let Err(error) = serde_json::from_str::<IgnoredAny>(text) {
        let error = serde_json::from_str::<serde_json::Value>(text)
            .err()
            .unwrap_or(error);
        let at = start + json_place(text, &error);
        return Diagnostic::error(
            Code::BadLine,
            format!("invalid JSON: {}", json_reason(&error)),
        )
        .at(Span::new(file, at, at + 1), "")
        .help(help)
        .refuse(found);
    }
    let mut trial = Diagnostics::default();
    if let Some(node) = parse_yaml(file, text, start, &mut trial)
        && !trial.has_errors()
    {
        return Some(node.with_json_numbers());
    }
    match serde_json::from_str::<serde_json::Value>(text) {
        Ok(value)
            if trial
                .items()
                .iter()
                .all(|item| item.code == Code::YamlSyntax) =>
        {
            Some(node_of(value, Span::new(file, start, start + text.len())))
        }
        _ => {
            found.extend(trial);
            None
        }
    }
}

/// The error message of the JSON parser without its position.
pub fn json_reason(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let reason = text.split(" at line ").next().unwrap_or(&text);
    let reason = reason.replace("expected ident", "expected value");
    ["u64", "u32"].iter().fold(reason, |reason, kind| {
        reason.replace(
            &format!("expected {kind}"),
            "expected a non-negative integer",
        )
    })
}

/// The byte offset of the error. An offset inside a character is moved to its start.
pub fn json_place(text: &str, error: &serde_json::Error) -> usize {
    let lines: usize = text
        .split_inclusive('\n')
        .take(error.line().saturating_sub(1))
        .map(str::len)
        .sum();
    text.floor_char_boundary(lines + error.column().saturating_sub(1))
}

fn node_of(value: serde_json::Value, span: Span) -> Node {
    let scalar = |text: String, plain: bool| {
        Content::Scalar(Scalar {
            text: text.into(),
            plain,
        })
    };
    let content = match value {
        serde_json::Value::Null => scalar(String::new(), true),
        serde_json::Value::Bool(value) => scalar(value.to_string(), true),
        serde_json::Value::Number(value) => scalar(value.to_string(), true),
        serde_json::Value::String(text) => scalar(text, false),
        serde_json::Value::Array(items) => {
            Content::List(items.into_iter().map(|item| node_of(item, span)).collect())
        }
        serde_json::Value::Object(pairs) => {
            let entries = pairs
                .into_iter()
                .map(|(key, value)| {
                    (
                        Key {
                            text: key.into(),
                            span,
                        },
                        node_of(value, span),
                    )
                })
                .collect();
            Content::Map(Map { entries })
        }
    };
    Node { span, content }
}

/// Whether a field has the default value of its type, so that JSON omits it.
pub fn is_default<T: Default + PartialEq>(field: &T) -> bool {
    *field == T::default()
}
