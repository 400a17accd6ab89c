//! Compares values with expectations: exactly, partially, or by an operator.

use regex::Regex;

use fsmsim_core::machine::Value;
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Diagnostics, nearest};
use fsmsim_syntax::document::{Content, Map, Node, PatternBudget};
use fsmsim_syntax::terminal::Joined;

/// The expectation for a value.
#[derive(Clone, Debug)]
pub enum Matcher {
    /// Exactly this scalar. A string is compared with the scalar's text.
    Scalar(Value, Box<str>),
    /// A map that contains at least these keys.
    Map(Vec<(Box<str>, Matcher)>),
    /// Exactly this list.
    List(Vec<Matcher>),
    /// A list or a text that contains all of these.
    Contains(Vec<Matcher>),
    /// A list or a text that contains these in this order, possibly with others between them.
    InOrder(Vec<Matcher>),
    /// One of these, or a list that contains one of them.
    Any(Vec<Matcher>),
    /// One of these.
    In(Vec<Matcher>),
    /// Anything except this.
    Not(Box<Matcher>),
    /// A string that matches this regular expression.
    Pattern(Regex),
    /// A number within these inclusive limits.
    Within(Option<NumberBound>, Option<NumberBound>),
    /// A value that matches all of these.
    All(Vec<Matcher>),
}

#[derive(Clone, Debug)]
pub struct NumberBound {
    number: f64,
    /// The number as written.
    text: Box<str>,
}

/// A location where a value does not match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mismatch {
    /// Keys and item numbers on the path from the field to the location, joined by dots.
    pub path: String,
    pub expected: String,
    pub actual: String,
    /// The most similar value and its differences, if they help to understand the mismatch.
    pub nearest: Option<String>,
}

impl Mismatch {
    /// A mismatch for which no similar value is shown.
    pub(super) fn new(
        path: impl Into<String>,
        expected: impl Into<String>,
        actual: impl Into<String>,
    ) -> Self {
        Self {
            path: path.into(),
            expected: expected.into(),
            actual: actual.into(),
            nearest: None,
        }
    }
}

/// The operators that compare values.
pub(super) const OPERATORS: [&str; 9] = [
    "contains", "in_order", "any", "in", "not", "matches", "at_least", "at_most", "between",
];

/// Whether all keys of a map are operators.
pub(crate) fn is_operation(map: &Map) -> bool {
    !map.entries.is_empty() && map.keys().all(|key| OPERATORS.contains(&key))
}

impl Matcher {
    /// Reads a matcher. A map that contains only operators is a comparison; any other map is matched partially.
    pub fn read(node: &Node, found: &mut Diagnostics) -> Option<Self> {
        match &node.content {
            Content::Scalar(scalar) => {
                Some(Self::Scalar(Value::of_number(node), scalar.text.clone()))
            }
            Content::List(items) => Some(Self::List(read_all(items, found)?)),
            Content::Map(map) if is_operation(map) => {
                let entries = map.entries.iter();
                let mut parts: Vec<Self> =
                    all(entries.map(|(key, value)| read_operator(&key.text, value, found)))?;
                if parts.len() == 1 {
                    parts.pop()
                } else {
                    Some(Self::All(parts))
                }
            }
            Content::Map(map) => {
                let entries = map.entries.iter();
                let entries =
                    entries.map(|(key, value)| Some((key.text.clone(), Self::read(value, found)?)));
                Some(Self::Map(all(entries)?))
            }
        }
    }
    /// Whether a text matches. Matchers for other types never match.
    pub fn matches_text(&self, text: Option<&str>) -> bool {
        match (self, text) {
            (Self::Scalar(Value::Null, _), None) => true,
            (Self::Scalar(_, expected), Some(text)) => **expected == *text,
            (Self::Not(inner), text) => !inner.matches_text(text),
            (Self::Any(items) | Self::In(items), text) => {
                items.iter().any(|item| item.matches_text(text))
            }
            (Self::All(items), text) => items.iter().all(|item| item.matches_text(text)),
            (Self::Contains(items), Some(text)) => {
                items.iter().all(|item| item.inside(text).is_some())
            }
            (Self::InOrder(items), Some(text)) => in_order(items, text) == items.len(),
            (Self::Pattern(pattern), Some(text)) => pattern.is_match(text),
            _ => false,
        }
    }

    /// The end of the first occurrence in the text.
    pub(super) fn inside(&self, text: &str) -> Option<usize> {
        match self {
            Self::Scalar(_, part) => text.find(&**part).map(|at| at + part.len()),
            Self::Pattern(pattern) => pattern.find(text).map(|found| found.end()),
            _ => None,
        }
    }

    pub fn matches(&self, value: &Value) -> bool {
        match (self, value) {
            (_, Value::Text(actual)) => self.matches_text(Some(actual)),
            (Self::Scalar(expected, _), actual) => equal(expected, actual),
            (Self::Map(entries), Value::Map(_)) => entries
                .iter()
                .all(|(key, inner)| inner.matches_part(value.get(key))),
            (Self::List(items), Value::List(actual)) => {
                items.len() == actual.len()
                    && items
                        .iter()
                        .zip(actual.iter())
                        .all(|(item, actual)| item.matches(actual))
            }
            (Self::Contains(items), Value::List(actual)) => items
                .iter()
                .all(|item| actual.iter().any(|actual| item.matches(actual))),
            (Self::InOrder(items), Value::List(actual)) => {
                in_list(items, actual.iter()).len() == items.len()
            }
            (Self::Any(items), Value::List(actual)) => items.iter().any(|item| {
                item.matches(value) || actual.iter().any(|actual| item.matches(actual))
            }),
            (Self::Any(items) | Self::In(items), actual) => {
                items.iter().any(|item| item.matches(actual))
            }
            (Self::Not(inner), actual) => !inner.matches(actual),
            (Self::Pattern(pattern), Value::Int(_) | Value::Float(_)) => {
                pattern.is_match(&value.to_string())
            }
            (Self::Within(least, most), Value::Int(_) | Value::Float(_)) => {
                let number = value.as_number().unwrap_or(f64::NAN);
                let least = least.as_ref();
                let most = most.as_ref();
                least.is_none_or(|least| number >= least.number)
                    && most.is_none_or(|most| number <= most.number)
            }
            (Self::All(items), actual) => items.iter().all(|item| item.matches(actual)),
            _ => false,
        }
    }

    /// Whether a value in a map matches. A missing value counts as null.
    pub(super) fn matches_part(&self, part: Option<&Value>) -> bool {
        match part {
            Some(part) => self.matches(part),
            None => matches!(self, Self::Scalar(Value::Null, _)),
        }
    }

    /// Adds the mismatches in a value. Within maps, each mismatch is located as deep as possible.
    pub fn compare(&self, path: &str, value: &Value, mismatches: &mut Vec<Mismatch>) {
        if self.matches(value) {
            return;
        }
        if let (Self::Map(entries), Value::Map(pairs)) = (self, value) {
            for (key, inner) in entries {
                let path = format!("{path}.{key}");
                match value.get(key) {
                    Some(actual) => inner.compare(&path, actual, mismatches),
                    None if inner.matches_part(None) => {}
                    None => {
                        let near = nearest(key, pairs.iter().map(|(key, _)| &**key));
                        mismatches.push(Mismatch {
                            nearest: near.map(|near| format!("a similar key exists: `{near}`")),
                            ..Mismatch::new(path, inner.to_string(), "nothing")
                        });
                    }
                }
            }
            return;
        }
        mismatches.push(Mismatch {
            nearest: self.nearest(value),
            ..Mismatch::new(path, self.to_string(), value.to_string())
        });
    }
}

/// How many of the parts occur in a text in this order.
fn in_order(parts: &[Matcher], text: &str) -> usize {
    let mut rest = text;
    let occurs = |part: &&Matcher| match part.inside(rest) {
        Some(end) => {
            rest = rest.get(end..).unwrap_or_default();
            true
        }
        None => false,
    };
    parts.iter().take_while(occurs).count()
}

/// The indexes of list items that match `items` in this order, up to the first one without a match.
pub(super) fn in_list<'v>(
    items: &[Matcher],
    actual: impl Iterator<Item = &'v Value>,
) -> Vec<usize> {
    let mut actual = actual.enumerate();
    let next = |item: &Matcher| {
        actual
            .by_ref()
            .find(|(_, actual)| item.matches(actual))
            .map(|(number, _)| number)
    };
    items.iter().map_while(next).collect()
}

/// Several matchers, formatted for failure messages.
pub(super) fn list_of(items: &[Matcher]) -> String {
    items.iter().map(Matcher::to_string).joined(", ")
}

pub(super) fn read_all(items: &[Node], found: &mut Diagnostics) -> Option<Vec<Matcher>> {
    all(items.iter().map(|item| Matcher::read(item, found)))
}

/// All values, or `None` if any value is invalid. Reads all values, so that all findings are reported.
pub(super) fn all<T>(values: impl Iterator<Item = Option<T>>) -> Option<Vec<T>> {
    let values: Vec<Option<T>> = values.collect();
    values.into_iter().collect()
}

/// Reads an operator and its operand.
pub(super) fn read_operator(
    operator: &str,
    node: &Node,
    found: &mut Diagnostics,
) -> Option<Matcher> {
    match operator {
        "not" => Some(Matcher::Not(Box::new(Matcher::read(node, found)?))),
        "matches" => {
            let text = node
                .text()
                .ok_or_else(|| format!("expected a string for `matches`, found {}", node.kind()));
            let pattern = text.and_then(|text| {
                let pattern = PatternBudget::default().compile(text, true);
                pattern.map_err(|why| format!("invalid regular expression: {why}"))
            });
            match pattern {
                Ok(pattern) => Some(Matcher::Pattern(pattern)),
                Err(why) => Diagnostic::error(Code::BadExpectation, why)
                    .at(node.span, "invalid pattern")
                    .help("quote the expression: `matches: '^a.*z$'`; `\\.` is a dot, `.*` any text, `^` the start, `$` the end")
                    .refuse(found),
            }
        }
        "at_least" => Some(Matcher::Within(Some(bound(operator, node, found)?), None)),
        "at_most" => Some(Matcher::Within(None, Some(bound(operator, node, found)?))),
        "between" => {
            let errors = found.error_count();
            let bounds = node
                .list()
                .map(|items| items.iter().map(|item| bound(operator, item, found)));
            let bounds = bounds.and_then(all);
            match bounds.map(<[NumberBound; 2]>::try_from) {
                Some(Ok([least, most])) if least.number <= most.number => {
                    Some(Matcher::Within(Some(least), Some(most)))
                }
                _ if !found.no_errors_since(errors) => None,
                _ => Diagnostic::error(
                    Code::BadExpectation,
                    "expected two numbers in ascending order for `between`",
                )
                .at(node.span, "invalid range")
                .help("write `{between: [2, 5]}`; both limits are included")
                .refuse(found),
            }
        }
        _ => {
            let Some(items) = node.list() else {
                return Diagnostic::error(
                    Code::BadExpectation,
                    format!("expected a list for `{operator}`, found {}", node.kind()),
                )
                .at(node.span, "not a list")
                .help(format!("write `{{{operator}: [...]}}`"))
                .refuse(found);
            };
            let items = read_all(items, found)?;
            Some(match operator {
                "contains" => Matcher::Contains(items),
                "in_order" => Matcher::InOrder(items),
                "any" => Matcher::Any(items),
                _ => Matcher::In(items),
            })
        }
    }
}

fn bound(operator: &str, node: &Node, found: &mut Diagnostics) -> Option<NumberBound> {
    match (node.number().filter(|number| !number.is_nan()), node.text()) {
        (Some(number), Some(text)) => Some(NumberBound {
            number,
            text: text.into(),
        }),
        _ => Diagnostic::error(
            Code::BadExpectation,
            format!("expected a number for `{operator}`, found {}", node.kind()),
        )
        .at(node.span, "not a number")
        .help("write a number, or write an exact value without an operator")
        .refuse(found),
    }
}

/// Compares scalars. Integers and floats are compared as numbers.
fn equal(expected: &Value, actual: &Value) -> bool {
    match (expected, actual) {
        (Value::Int(_) | Value::Float(_), Value::Int(_) | Value::Float(_)) => {
            expected.as_number() == actual.as_number()
        }
        _ => expected == actual,
    }
}

/// Formats the expectation for failure messages.
impl std::fmt::Display for Matcher {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let list = list_of;
        match self {
            // Shows the number as typed, if it would be formatted differently.
            Self::Scalar(value @ (Value::Int(_) | Value::Float(_)), text)
                if value.to_string() != **text =>
            {
                Value::text(text).fmt(f)
            }
            Self::Scalar(value, _) => value.fmt(f),
            Self::List(items) => write!(f, "[{}]", list(items)),
            Self::Contains(items) => write!(f, "a value that contains all of [{}]", list(items)),
            Self::InOrder(items) => {
                write!(f, "a value that contains in this order [{}]", list(items))
            }
            Self::Any(items) => write!(f, "any of [{}]", list(items)),
            Self::In(items) => write!(f, "one of [{}]", list(items)),
            Self::Not(inner) => write!(f, "not {inner}"),
            Self::Pattern(pattern) => write!(f, "a string that matches `{pattern}`"),
            Self::Within(Some(least), Some(most)) => {
                write!(f, "a number from {} to {}", least.text, most.text)
            }
            Self::Within(Some(least), None) => write!(f, "at least {}", least.text),
            Self::Within(None, most) => {
                write!(f, "at most {}", most.as_ref().map_or("", |most| &most.text))
            }
            Self::All(items) => write!(f, "{}", items.iter().map(Self::to_string).joined(" and ")),
            Self::Map(entries) => {
                let entries = entries.iter().map(|(key, inner)| format!("{key}: {inner}"));
                write!(f, "{{{}}}", entries.joined(", "))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fsmsim_syntax::diagnostic::SourceMap;
    use fsmsim_syntax::document::parse_yaml;

    fn node(text: &str) -> Node {
        let file = SourceMap::default().add("t", text);
        parse_yaml(file, text, 0, &mut Diagnostics::default()).unwrap()
    }

    fn mismatches(matcher: &str, value: &str) -> Vec<String> {
        let matcher = Matcher::read(&node(matcher), &mut Diagnostics::default()).unwrap();
        let mut found = Vec::new();
        matcher.compare("x", &Value::from(&node(value)), &mut found);
        found
            .into_iter()
            .map(|m| format!("{}: {} / {}", m.path, m.expected, m.actual))
            .collect()
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
        assert_eq!(
            mismatches("{a: 1, c: 3}", "{a: 2}"),
            ["x.a: 1 / 2", "x.c: 3 / nothing"]
        );
        assert_eq!(mismatches("[a]", "[a, b]"), ["x: [\"a\"] / [\"a\", \"b\"]"]);
    }

    fn hint(matcher: &str, value: &str) -> String {
        let matcher = Matcher::read(&node(matcher), &mut Diagnostics::default()).unwrap();
        let mut found = Vec::new();
        matcher.compare("x", &Value::from(&node(value)), &mut found);
        found.pop().unwrap().nearest.unwrap_or_default()
    }

    #[test]
    fn mismatch_shows_the_most_similar_value() {
        let effects =
            "[{effect: mail, verdict: denied}, {effect: book, verdict: denied, outcome: full}]";
        insta::assert_snapshot!(
            [
                hint("{contains: [{effect: book, verdict: allowed, outcome: full}]}", effects),
                hint("{contains: [greet_bak]}", "[greet_back, close]"),
                hint("{in_order: [a, c, b]}", "[a, b, c, d]"),
                hint("{any: [close, {matches: '^x'}]}", "closed"),
                hint("{in: [{a: 1, b: 2}, {a: 3}]}", "{a: 1, b: 3}"),
                hint(&format!("[a, {{k: {}}}]", "x".repeat(60)), "[a, {k: 2}]"),
                hint("{at_least: 2, at_most: 5}", "7"),
                hint("{company_sise: 5}", "{company_size: 5}"),
                hint("We would be glad to see you on Monday at ten.", "We would be glad to see you on Tuesday at ten."),
            ]
            .join("\n"),
            @r#"
        no {effect: "book", verdict: "allowed", outcome: "full"}; nearest is item 2: verdict: expected "allowed", got "denied"
        no "greet_bak"; nearest is item 1, "greet_back"
        "c" is item 3; after it: no "b", but item 2 before it matches
        nearest: "close"
        nearest: {a: 1, b: 2}: b: expected 2, got 3
        item 2 differs: k: expected "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", got 2
        not at most 5
        a similar key exists: `company_size`
        first difference at character 32: expected "… glad to see you on Monday at ten.", got "… glad to see you on Tuesday at ten."
        "#
        );
    }

    #[test]
    fn invalid_operator_is_an_error() {
        let title_of = |text: &str| {
            let mut found = Diagnostics::default();
            assert!(Matcher::read(&node(text), &mut found).is_none(), "{text}");
            found.items()[0].title.clone()
        };
        assert_eq!(
            title_of("{matches: '('}"),
            "invalid regular expression: unclosed group"
        );
        assert_eq!(
            title_of("{between: [5, 2]}"),
            "expected two numbers in ascending order for `between`"
        );
        assert_eq!(
            title_of("{at_least: many}"),
            "expected a number for `at_least`, found a string"
        );
        assert_eq!(
            title_of("{in_order: a}"),
            "expected a list for `in_order`, found a string"
        );
        // A slot can have the same name as an operator.
        assert!(matches!(
            Matcher::read(&node("{in: 5, other: 3}"), &mut Diagnostics::default()),
            Some(Matcher::Map(_))
        ));
    }

    #[test]
    fn operators_match() {
        assert_eq!(mismatches("{contains: [b]}", "[a, b]"), [""; 0]);
        assert_eq!(
            mismatches("{contains: [{k: 1}]}", "[{k: 1, l: 2}]"),
            [""; 0]
        );
        assert_eq!(mismatches("{contains: [lo]}", "close"), [""; 0]);
        assert_eq!(mismatches("{any: [a, b]}", "b"), [""; 0]);
        assert_eq!(mismatches("{any: [z, b]}", "[a, b]"), [""; 0]);
        assert_eq!(mismatches("{not: a}", "b"), [""; 0]);
        assert_eq!(
            mismatches("{in_order: [a, {k: 1}, c]}", "[a, x, {k: 1, l: 2}, b, c]"),
            [""; 0]
        );
        assert_eq!(
            mismatches("{in_order: [one, three]}", "one two three"),
            [""; 0]
        );
        assert_eq!(mismatches("{matches: '^a.*z$'}", "a to z"), [""; 0]);
        assert_eq!(mismatches("{matches: '^5'}", "50"), [""; 0]);
        assert_eq!(mismatches("{at_least: 2, at_most: 5}", "5.0"), [""; 0]);
        assert_eq!(mismatches("{between: [2, 5], not: 3}", "4"), [""; 0]);
        assert_eq!(mismatches("{in: [a, [b]]}", "[b]"), [""; 0]);
        assert_eq!(
            mismatches("{a: {at_least: 2}, b: [{any: [1, 2]}]}", "{a: 2, b: [2]}"),
            [""; 0]
        );
        assert_eq!(mismatches("{in: [b]}", "[a, b]").len(), 1);
        assert_eq!(mismatches("{at_least: 2}", "true").len(), 1);
        assert_eq!(
            mismatches("{not: {contains: [a]}}", "[a]"),
            ["x: not a value that contains all of [\"a\"] / [\"a\"]"]
        );
    }
}
