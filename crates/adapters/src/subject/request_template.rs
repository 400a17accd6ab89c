//! Request templates with placeholders for turn data.

use std::collections::BTreeSet;

use serde_json::Value as Json;

use super::subject_turn::TurnValues;
use fsmsim_core::machine::Value;
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Diagnostics, Span};
use fsmsim_syntax::document::{Content, Node, lone_placeholder, placeholder_len, placeholders};

/// A request with placeholders for turn data. Templates are trees, so values cannot break the JSON syntax.
#[derive(Clone, Debug)]
pub enum RequestTemplate {
    /// A value without placeholders.
    Plain(Json),
    /// A single placeholder. It is replaced by its value, which can have any type.
    Whole(Box<str>),
    /// A string that contains placeholders.
    Text(Box<str>),
    /// A list. If an item is a single placeholder with a list as its value, the items of that list are inserted.
    List(Vec<RequestTemplate>),
    Map(Vec<(Box<str>, RequestTemplate)>),
}

impl RequestTemplate {
    /// Parses a template. Reports placeholders that are not `known`.
    pub(super) fn read(node: &Node, known: &BTreeSet<String>, found: &mut Diagnostics) -> Self {
        match &node.content {
            Content::Scalar(scalar) => {
                check_placeholders(&scalar.text, node.span, known, found);
                match lone_placeholder(&scalar.text) {
                    Some(name) => Self::Whole(name.into()),
                    None if placeholders(&scalar.text).next().is_some() => {
                        Self::Text(scalar.text.clone())
                    }
                    None => {
                        Self::Plain(serde_json::to_value(Value::from(node)).unwrap_or_default())
                    }
                }
            }
            Content::List(items) => Self::List(
                items
                    .iter()
                    .map(|item| Self::read(item, known, found))
                    .collect(),
            ),
            Content::Map(map) => {
                for (key, _) in &map.entries {
                    if let Some((_, name)) = placeholders(&key.text).next() {
                        Diagnostic::error(
                            Code::BadSubject,
                            format!("cannot use `{{{{{name}}}}}` in a key"),
                        )
                        .at(key.span, "key")
                        .help("write the key itself, or use a parameter of `cases`")
                        .add_to(found);
                    }
                }
                let entries = map.entries.iter();
                Self::Map(
                    entries
                        .map(|(key, value)| (key.text.clone(), Self::read(value, known, found)))
                        .collect(),
                )
            }
        }
    }

    /// Replaces the placeholders with values.
    pub fn fill(&self, values: &TurnValues) -> Json {
        match self {
            Self::Plain(value) => value.clone(),
            Self::Whole(name) => values.get(name).clone(),
            Self::Text(text) => Json::String(fill_text(text, |name| values.text(name))),
            Self::List(items) => {
                let mut list = Vec::with_capacity(items.len());
                for item in items {
                    match (item, item.fill(values)) {
                        (Self::Whole(_), Json::Array(inner)) => list.extend(inner),
                        (_, value) => list.push(value),
                    }
                }
                Json::Array(list)
            }
            Self::Map(pairs) => Json::Object(
                pairs
                    .iter()
                    .map(|(key, value)| (key.to_string(), value.fill(values)))
                    .collect(),
            ),
        }
    }
}

/// Replaces the placeholders in a string.
pub(super) fn fill_text(text: &str, value: impl Fn(&str) -> String) -> String {
    let mut filled = String::with_capacity(text.len());
    let mut end = 0;
    for (at, name) in placeholders(text) {
        filled.push_str(text.get(end..at).unwrap_or_default());
        filled.push_str(&value(name));
        end = at + placeholder_len(name);
    }
    filled.push_str(text.get(end..).unwrap_or_default());
    filled
}

/// Reports unknown placeholders in a string.
pub(super) fn check_placeholders(
    text: &str,
    span: Span,
    known: &BTreeSet<String>,
    found: &mut Diagnostics,
) {
    for (_, name) in placeholders(text).filter(|(_, name)| !known.contains(*name)) {
        Diagnostic::error(
            Code::BadSubject,
            format!("unknown placeholder `{{{{{name}}}}}`"),
        )
        .at(span, "unknown placeholder")
        .offer(
            name,
            "use one of these names",
            known.iter().map(|name| &**name),
        )
        .add_to(found);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use fsmsim_syntax::diagnostic::SourceMap;
    use fsmsim_syntax::document::parse_yaml;

    fn filled(text: &str) -> (Json, Vec<String>) {
        let file = SourceMap::default().add("t", text);
        let node = parse_yaml(file, text, 0, &mut Diagnostics::default()).unwrap();
        let known = ["say", "turn", "history", "data"].map(str::to_owned).into();
        let mut found = Diagnostics::default();
        let template = RequestTemplate::read(&node, &known, &mut found);
        let mut values = TurnValues::default();
        values.set("say", json!("\"}, {\"a\": 1\n{{turn}}"));
        values.set("turn", json!(2));
        values.set("history", json!([{"role": "user", "content": "x"}]));
        (
            template.fill(&values),
            found
                .items()
                .iter()
                .map(|item| item.title.clone())
                .collect(),
        )
    }

    #[test]
    fn single_placeholder_keeps_its_type_and_text_is_not_parsed() {
        assert_eq!(
            filled("{n: '{{turn}}', t: 'turn {{turn}}', d: '{{data}}', e: 'x{{data}}'}").0,
            json!({"n": 2, "t": "turn 2", "d": null, "e": "x"})
        );
        assert_eq!(
            filled("{a: '{{say}}', b: '<{{say}}>'}").0,
            json!({"a": "\"}, {\"a\": 1\n{{turn}}", "b": "<\"}, {\"a\": 1\n{{turn}}>"})
        );
        assert_eq!(
            filled("'{{history}}'").0,
            json!([{"role": "user", "content": "x"}])
        );
    }

    #[test]
    fn list_value_is_inserted_into_a_list() {
        let (value, _) = filled("[{role: system}, '{{history}}', '{{turn}}', ['{{turn}}']]");
        assert_eq!(
            value,
            json!([{"role": "system"}, {"role": "user", "content": "x"}, 2, [2]])
        );
    }

    #[test]
    fn unknown_placeholders_are_reported() {
        assert_eq!(filled("{a: '{{sya}}', b: ['x {{tern}}']}").1.len(), 2);
    }
}
