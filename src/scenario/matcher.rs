//! What an expectation says about a value: exact, partial, or one of several.

use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::document::{Content, Node};
use crate::machine::Value;

/// What a value must look like.
#[derive(Clone, Debug)]
pub enum Matcher {
    /// This scalar; where the value is a text, the scalar as it is written.
    Scalar(Value, Box<str>),
    /// A map with at least these keys.
    Map(Vec<(Box<str>, Matcher)>),
    /// Exactly this list.
    List(Vec<Matcher>),
    /// A list that holds all of these, or a text that contains them.
    Contains(Vec<Matcher>),
    /// One of these; or a list that holds one of these.
    Any(Vec<Matcher>),
    /// Anything but this.
    Not(Box<Matcher>),
}

/// A place where a value is not what was expected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mismatch {
    /// Keys and numbers of items from the field to the place, joined by dots.
    pub path: String,
    /// What was expected.
    pub expected: String,
    /// What was there.
    pub actual: String,
    /// What came nearest, and in what it differs, where that says more.
    pub nearest: Option<String>,
}

/// The words that say how a value is compared.
pub(super) const OPERATORS: [&str; 3] = ["contains", "any", "not"];

impl Matcher {
    /// Reads a matcher. A map with the one key `contains`, `any` or `not` is an operator, any other map is partial.
    pub fn read(node: &Node, found: &mut Diagnostics) -> Option<Self> {
        match &node.content {
            Content::Scalar(scalar) => Some(Self::Scalar(Value::of_number(node), scalar.text.clone())),
            Content::List(items) => Some(Self::List(read_all(items, found)?)),
            Content::Map(map) => match map.entries.as_slice() {
                [(key, value)] if &*key.text == "not" => Some(Self::Not(Box::new(Self::read(value, found)?))),
                [(key, value)] if matches!(&*key.text, "contains" | "any") => {
                    let Some(items) = value.list() else {
                        let title = format!("`{}` takes a list", key.text);
                        return Diagnostic::error(Code::BadExpectation, title)
                            .at(value.span, format!("this is {}", value.kind()))
                            .help(format!("write `{{{}: [...]}}`", key.text))
                            .refuse(found);
                    };
                    let items = read_all(items, found)?;
                    Some(if &*key.text == "any" { Self::Any(items) } else { Self::Contains(items) })
                }
                entries => {
                    let entries: Option<Vec<_>> = entries
                        .iter()
                        .map(|(key, value)| Some((key.text.clone(), Self::read(value, found)?)))
                        .collect();
                    Some(Self::Map(entries?))
                }
            },
        }
    }

    /// Whether a text is what is expected, where that can be told without more.
    pub fn matches_text(&self, text: Option<&str>) -> bool {
        match (self, text) {
            (Self::Scalar(Value::Null, _), None) => true,
            (Self::Scalar(_, expected), Some(text)) => **expected == *text,
            (Self::Not(inner), text) => !inner.matches_text(text),
            (Self::Any(items), text) => items.iter().any(|item| item.matches_text(text)),
            (Self::Contains(items), Some(text)) => items.iter().all(|item| item.inside(text)),
            _ => false,
        }
    }

    fn inside(&self, text: &str) -> bool {
        matches!(self, Self::Scalar(_, part) if text.contains(&**part))
    }

    /// Whether a value is what is expected.
    pub fn matches(&self, value: &Value) -> bool {
        match (self, value) {
            (Self::Scalar(_, text), Value::Text(actual)) => **text == **actual,
            (Self::Scalar(expected, _), actual) => equal(expected, actual),
            (Self::Map(entries), actual) => {
                let is_map = matches!(actual, Value::Map(_));
                is_map && entries.iter().all(|(key, inner)| inner.matches_part(actual.get(key)))
            }
            (Self::List(items), Value::List(actual)) => {
                items.len() == actual.len()
                    && items.iter().zip(actual.iter()).all(|(item, actual)| item.matches(actual))
            }
            (Self::Contains(items), Value::List(actual)) => {
                items.iter().all(|item| actual.iter().any(|actual| item.matches(actual)))
            }
            (Self::Contains(items), Value::Text(actual)) => items.iter().all(|item| item.inside(actual)),
            (Self::Any(items), Value::List(actual)) => {
                items.iter().any(|item| item.matches(value) || actual.iter().any(|actual| item.matches(actual)))
            }
            (Self::Any(items), actual) => items.iter().any(|item| item.matches(actual)),
            (Self::Not(inner), actual) => !inner.matches(actual),
            (Self::List(_) | Self::Contains(_), _) => false,
        }
    }

    /// Whether a part of a map is what is expected. What is not there is nothing.
    fn matches_part(&self, part: Option<&Value>) -> bool {
        match part {
            Some(part) => self.matches(part),
            None => matches!(self, Self::Scalar(Value::Null, _)),
        }
    }

    /// The places where a value is not what is expected: inside maps as near to the leaf as can be told.
    pub fn compare(&self, path: &str, value: &Value, mismatches: &mut Vec<Mismatch>) {
        if self.matches(value) {
            return;
        }
        if let (Self::Map(entries), Value::Map(_)) = (self, value) {
            for (key, inner) in entries {
                let path = format!("{path}.{key}");
                match value.get(key) {
                    Some(actual) => inner.compare(&path, actual, mismatches),
                    None if inner.matches_part(None) => {}
                    None => {
                        mismatches.push(Mismatch {
                            path,
                            expected: inner.to_string(),
                            actual: "nothing".to_owned(),
                            nearest: None,
                        });
                    }
                }
            }
            return;
        }
        mismatches.push(Mismatch {
            path: path.to_owned(),
            expected: self.to_string(),
            actual: value.to_string(),
            nearest: None,
        });
    }
}

fn read_all(items: &[Node], found: &mut Diagnostics) -> Option<Vec<Matcher>> {
    items.iter().map(|item| Matcher::read(item, found)).collect()
}

/// Equality of scalars; whole numbers and others are numbers alike.
fn equal(expected: &Value, actual: &Value) -> bool {
    match (expected, actual) {
        (Value::Int(_) | Value::Float(_), Value::Int(_) | Value::Float(_)) => {
            expected.as_number() == actual.as_number()
        }
        _ => expected == actual,
    }
}

/// As people read it in a failure.
impl std::fmt::Display for Matcher {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let list = |items: &[Self]| items.iter().map(Self::to_string).collect::<Vec<_>>().join(", ");
        match self {
            // What was typed, where a number would be written otherwise.
            Self::Scalar(value @ (Value::Int(_) | Value::Float(_)), text) if value.to_string() != **text => {
                Value::text(text).fmt(f)
            }
            Self::Scalar(value, _) => value.fmt(f),
            Self::List(items) => write!(f, "[{}]", list(items)),
            Self::Contains(items) => write!(f, "a value with all of [{}]", list(items)),
            Self::Any(items) => write!(f, "any of [{}]", list(items)),
            Self::Not(inner) => write!(f, "not {inner}"),
            Self::Map(entries) => {
                let entries = entries.iter().map(|(key, inner)| format!("{key}: {inner}"));
                write!(f, "{{{}}}", entries.collect::<Vec<_>>().join(", "))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostic::SourceMap;
    use crate::document::parse_yaml;

    fn node(text: &str) -> Node {
        let file = SourceMap::default().add("t", text);
        parse_yaml(file, text, 0, &mut Diagnostics::default()).unwrap()
    }

    fn mismatches(matcher: &str, value: &str) -> Vec<String> {
        let matcher = Matcher::read(&node(matcher), &mut Diagnostics::default()).unwrap();
        let mut found = Vec::new();
        matcher.compare("x", &Value::from(&node(value)), &mut found);
        found.into_iter().map(|m| format!("{}: {} / {}", m.path, m.expected, m.actual)).collect()
    }

    #[test]
    fn scalars_are_exact_and_text_is_text() {
        assert_eq!(mismatches("close", "close"), [""; 0]);
        assert_eq!(mismatches("50", "'50'"), [""; 0]);
        assert_eq!(mismatches("1", "1.0"), [""; 0]);
        assert_eq!(mismatches("no", "false"), ["x: \"no\" / false"]);
        assert_eq!(mismatches("null", "~"), [""; 0]);
    }

    #[test]
    fn maps_are_partial_and_lists_exact() {
        assert_eq!(mismatches("{a: 1}", "{a: 1, b: 2}"), [""; 0]);
        assert_eq!(mismatches("{a: 1, c: 3}", "{a: 2}"), ["x.a: 1 / 2", "x.c: 3 / nothing"]);
        assert_eq!(mismatches("[a]", "[a, b]"), ["x: [\"a\"] / [\"a\", \"b\"]"]);
    }

    #[test]
    fn operators() {
        assert_eq!(mismatches("{contains: [b]}", "[a, b]"), [""; 0]);
        assert_eq!(mismatches("{contains: [{k: 1}]}", "[{k: 1, l: 2}]"), [""; 0]);
        assert_eq!(mismatches("{contains: [lo]}", "close"), [""; 0]);
        assert_eq!(mismatches("{any: [a, b]}", "b"), [""; 0]);
        assert_eq!(mismatches("{any: [z, b]}", "[a, b]"), [""; 0]);
        assert_eq!(mismatches("{not: a}", "b"), [""; 0]);
        assert_eq!(mismatches("{not: {contains: [a]}}", "[a]"), ["x: not a value with all of [\"a\"] / [\"a\"]"]);
    }
}
