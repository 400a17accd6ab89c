//! A line of JSON as a tree with places.

use serde::de::IgnoredAny;

use super::json_tree::json_tree;
use super::node::{Content, Key, Map, Node, Scalar};
use super::yaml::parse_yaml;
use crate::diagnostic::{Code, Diagnostic, Diagnostics, FileId, Span};

/// Reads one JSON value that begins at this byte of the file, with nothing behind it. What JSON alone does not forbid, such as a
/// key that is given twice, is told as of YAML; the little JSON that is no YAML (surrogate pairs, very long keys) is read all
/// the same, and then stands where the whole text stands.
pub fn parse_json(file: FileId, text: &str, start: usize, found: &mut Diagnostics) -> Option<Node> {
    parse_json_or(
        file,
        text,
        start,
        "each line holds one dialogue as a JSON object",
        found,
    )
}

/// The same, of a text that holds something else than dialogues: `help` is what to do where it is no JSON.
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
    // Not all that is YAML is JSON: there, what stands behind a value may be passed over.
    if let Err(error) = serde_json::from_str::<IgnoredAny>(text) {
        let error = serde_json::from_str::<serde_json::Value>(text)
            .err()
            .unwrap_or(error);
        let at = start + json_place(text, &error);
        return Diagnostic::error(
            Code::BadLine,
            format!("the line is not valid JSON: {}", json_reason(&error)),
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

/// What is wrong with a text that is no JSON, without where.
pub fn json_reason(error: &serde_json::Error) -> String {
    let text = error.to_string();
    text.split(" at line ").next().unwrap_or(&text).to_owned()
}

/// Where in the text it is no JSON, in bytes. A place in the middle of a letter is taken for its beginning.
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
            let pairs = pairs.into_iter();
            let entries = pairs
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
