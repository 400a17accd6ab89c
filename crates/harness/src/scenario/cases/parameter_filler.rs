//! Replaces the placeholders `{{name}}` with parameter values.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::parameter_values::ParameterValues;
use crate::limits::MAX_FILLED_SIZE;
use fsmsim_adapters::subject::{SUBJECT, subject_placeholders};
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Diagnostics, Span};
use fsmsim_syntax::document::{
    Content, Key, Map, Node, PLACEHOLDER_OPEN, Scalar, each_placeholder, lone_placeholder,
    placeholder_len, placeholders,
};

/// Replaces placeholders with values. Placeholders inside values are kept.
pub(crate) struct ParameterFiller<'f> {
    values: &'f ParameterValues,
    /// The total size of the inserted values so far.
    spent: usize,
    /// Names in the current node that are not parameters.
    others: BTreeSet<String>,
    /// Keeps placeholders that have no value, because another check reports them.
    leaves_unknown: bool,
    found: &'f mut Diagnostics,
}

impl<'f> ParameterFiller<'f> {
    pub(crate) fn new(values: &'f ParameterValues, found: &'f mut Diagnostics) -> Self {
        Self {
            values,
            spent: 0,
            others: BTreeSet::new(),
            leaves_unknown: false,
            found,
        }
    }

    /// Returns the node with all placeholders replaced. Reports placeholders that have no value.
    pub(crate) fn fill(&mut self, node: &Node) -> Node {
        let content = match &node.content {
            Content::Scalar(scalar) if scalar.text.contains(PLACEHOLDER_OPEN) => {
                return self.scalar(scalar, node.span);
            }
            Content::Scalar(scalar) => Content::Scalar(scalar.clone()),
            Content::List(items) => {
                Content::List(items.iter().map(|item| self.fill(item)).collect())
            }
            Content::Map(map) => Content::Map(self.map(map)),
        };
        Node {
            span: node.span,
            content,
        }
    }

    /// Replaces the placeholders in a scenario, except those in its subject that stand for the data of a turn.
    pub(crate) fn fill_scenario(&mut self, node: &Node) -> Node {
        let Some(subject) = node.get(SUBJECT) else {
            return self.fill(node);
        };
        let Content::Map(mut map) = node.content.clone() else {
            return self.fill(node);
        };
        map.entries.retain(|(key, _)| &*key.text != SUBJECT);
        let mut rest = self.map(&map);
        self.others = subject_placeholders(subject);
        self.leaves_unknown = true;
        rest.put(SUBJECT, Some(self.fill(subject)));
        self.others.clear();
        self.leaves_unknown = false;
        rest.at(node.span)
    }

    /// Whether a placeholder with this name is kept.
    fn leaves(&self, name: &str) -> bool {
        self.others.contains(name) || (self.leaves_unknown && self.values.get(name).is_none())
    }

    fn map(&mut self, map: &Map) -> Map {
        let mut filled = Map {
            entries: Vec::with_capacity(map.entries.len()),
        };
        for (key, value) in &map.entries {
            if !key.text.contains(PLACEHOLDER_OPEN) {
                let entry = (key.clone(), self.fill(value));
                filled.entries.push(entry);
                continue;
            }
            let text = self.text(&key.text, key.span).into_boxed_str();
            // A key whose placeholders were kept is unchanged. Another check decides whether such a key is allowed.
            let is_new = *text != *key.text;
            if is_new && (filled.get(&text).is_some() || map.get(&text).is_some()) {
                Diagnostic::error(
                    Code::DuplicateKey,
                    format!("duplicate key `{text}`, filled in from `{}`", key.text),
                )
                .at(key.span, "second use")
                .help("change the value of the parameter, or rename the key")
                .add_to(self.found);
                continue;
            }
            let entry = (
                Key {
                    text,
                    span: key.span,
                },
                self.fill(value),
            );
            filled.entries.push(entry);
        }
        filled
    }

    fn scalar(&mut self, scalar: &Scalar, span: Span) -> Node {
        match lone_placeholder(&scalar.text).filter(|name| !self.leaves(name)) {
            Some(name) => match self.value(name, span) {
                Some(value) => self.copy(&value, span),
                None => Node::null(span),
            },
            None => {
                let text = self.text(&scalar.text, span);
                // A value that is inserted into text is text, even if the result looks like another type.
                let plain = scalar.plain && *text == *scalar.text;
                Node {
                    span,
                    content: Content::Scalar(Scalar {
                        text: text.into(),
                        plain,
                    }),
                }
            }
        }
    }

    /// Replaces the placeholders in a text.
    fn text(&mut self, text: &str, span: Span) -> String {
        let mut filled = String::with_capacity(text.len());
        let mut done = 0;
        for (at, name) in placeholders(text) {
            if self.leaves(name) {
                continue;
            }
            filled.push_str(text.get(done..at).unwrap_or_default());
            done = at + placeholder_len(name);
            let Some(value) = self.value(name, span) else {
                continue;
            };
            match &value.content {
                Content::Scalar(scalar)
                    if !value.is_null() && self.may_spend(scalar.text.len(), span) =>
                {
                    filled.push_str(&scalar.text);
                }
                // Null becomes an empty string.
                Content::Scalar(_) => {}
                Content::List(_) | Content::Map(_) => {
                    Diagnostic::error(Code::WrongType, format!(
                        "cannot insert `{name}` into a string: found {}",
                        value.kind()
                    ))
                        .at(span, "inside a string")
                        .help(format!("use `\"{{{{{name}}}}}\"` as the complete value, or set the parameter to a string"))
                        .add_to(self.found);
                }
            }
        }
        filled.push_str(text.get(done..).unwrap_or_default());
        filled
    }

    fn value(&mut self, name: &str, span: Span) -> Option<Arc<Node>> {
        let value = self.values.get(name);
        value.or_else(|| self.values.unknown(name, span).refuse(self.found))
    }

    /// A copy of a value that has the span of its placeholder.
    fn copy(&mut self, value: &Node, span: Span) -> Node {
        let content = match &value.content {
            _ if !self.may_spend(1, span) => Content::List(Vec::new()),
            Content::Scalar(scalar) if self.may_spend(scalar.text.len(), span) => {
                Content::Scalar(scalar.clone())
            }
            Content::Scalar(_) => Content::List(Vec::new()),
            Content::List(items) => {
                Content::List(items.iter().map(|item| self.copy(item, span)).collect())
            }
            Content::Map(map) => {
                let entries = map.entries.iter().map(|(key, value)| {
                    (
                        Key {
                            text: key.text.clone(),
                            span,
                        },
                        self.copy(value, span),
                    )
                });
                Content::Map(Map {
                    entries: entries.collect(),
                })
            }
        };
        Node { span, content }
    }

    fn may_spend(&mut self, size: usize, span: Span) -> bool {
        if self.spent > MAX_FILLED_SIZE {
            return false;
        }
        self.spent = self.spent.saturating_add(size);
        if self.spent > MAX_FILLED_SIZE {
            Diagnostic::error(
                Code::TooDeep,
                "the document is too large with its parameter values",
            )
            .at(span, "over the limit")
            .help("use shorter values, or use parameters less often")
            .add_to(self.found);
        }
        self.spent <= MAX_FILLED_SIZE
    }
}

/// Whether a text might contain placeholders.
pub(crate) fn may_hold_placeholders(text: &str) -> bool {
    text.contains(PLACEHOLDER_OPEN)
}

/// Calls `each` with the name and the span of every placeholder in a scenario that is a parameter. Skips placeholders
/// in a subject that stand for the data of a turn.
pub(crate) fn each_parameter(scenario: &Node, each: &mut impl FnMut(&str, Span)) {
    for (key, value) in scenario.entries() {
        let own = if &*key.text == SUBJECT {
            subject_placeholders(value)
        } else {
            BTreeSet::new()
        };
        placeholders(&key.text).for_each(|(_, name)| each(name, key.span));
        each_placeholder(value, &mut |name, span| {
            if !own.contains(name) {
                each(name, span);
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fsmsim_core::machine::Value;
    use fsmsim_syntax::diagnostic::SourceMap;
    use fsmsim_syntax::document::parse_yaml;

    fn node(text: &str) -> Node {
        let file = SourceMap::default().add("t", text);
        parse_yaml(file, text, 0, &mut Diagnostics::default()).unwrap()
    }

    fn filled(values: &str, text: &str) -> (String, Vec<String>) {
        let mut found = Diagnostics::default();
        let values = ParameterValues::from_map(node(values).map().unwrap());
        let filled = ParameterFiller::new(&values, &mut found).fill(&node(text));
        (
            Value::from(&filled).to_string(),
            found
                .items()
                .iter()
                .map(|item| item.title.clone())
                .collect(),
        )
    }

    #[test]
    fn lone_placeholder_keeps_the_type_of_its_value() {
        assert_eq!(
            filled("{n: 5}", "['{{n}}', '{{n}}0', 'n{{n}}{{n}}']"),
            ("[5, \"50\", \"n55\"]".into(), vec![])
        );
        assert_eq!(filled("{n: '5'}", "'{{n}}'"), ("\"5\"".into(), vec![]));
        assert_eq!(
            filled("{n: [a, {b: ~}]}", "x: '{{n}}'"),
            ("{x: [\"a\", {b: null}]}".into(), vec![])
        );
        assert_eq!(
            filled("{n: ~}", "['{{n}}', 'a{{n}}']"),
            ("[null, \"a\"]".into(), vec![])
        );
        assert_eq!(
            filled("{n: a}", "'{{n}}_b': 1"),
            ("{a_b: 1}".into(), vec![])
        );
    }

    #[test]
    fn placeholders_in_values_and_other_braces_are_kept() {
        assert_eq!(
            filled("{a: '{{b}}', b: x}", "'{{a}} {{b}}'"),
            ("\"{{b}} x\"".into(), vec![])
        );
        assert_eq!(
            filled("{a: x}", "'{{ a }} {{a-b}} {{a} {{{a}}} {{'"),
            ("\"{{ a }} {{a-b}} {{a} {{{a}}} {{\"".into(), vec![])
        );
    }

    #[test]
    fn unknown_names_and_conflicting_keys_are_errors() {
        assert_eq!(
            filled("{size: 1}", "'{{sise}}'").1,
            ["unknown parameter `sise`"]
        );
        assert_eq!(
            filled("{a: [1]}", "'a{{a}}'").1,
            ["cannot insert `a` into a string: found a list"]
        );
        assert_eq!(
            filled("{a: x}", "{x: 1, '{{a}}': 2}").1,
            ["duplicate key `x`, filled in from `{{a}}`"]
        );
    }
}
