//! Compares values with expectations: exactly, partially, or by an operator.

use std::cmp::Ordering;
use std::sync::Arc;

use regex::Regex;

use super::number_order::order;
use crate::limits::MAX_SCENARIO_PATTERNS;
use fsmsim_core::machine::Value;
use fsmsim_core::trace::RecordField;
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Diagnostics, Span, nearest};
use fsmsim_syntax::document::{Atom, Content, Map, Node, PatternBudget, Scalar, long_text_diff};
use fsmsim_syntax::terminal::Joined;

/// The expectation for a value.
#[derive(Clone, Debug)]
pub enum Matcher {
    /// Exactly this scalar, as typed. The flag states whether it also matches a string with the same text.
    Scalar(Value, Box<str>, bool),
    /// A map that contains at least these keys or, with the flag, no others.
    Map(Vec<(Box<str>, Matcher)>, bool),
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

/// How scalars and maps of an expectation are read. The default is for data of users.
#[derive(Clone, Copy, Debug, Default)]
pub struct MatcherMode {
    /// Whether scalars are names, so that `50` is also a string. In data of users, `50` and `"50"` differ.
    is_of_names: bool,
    /// Whether maps contain no other keys.
    is_exact: bool,
}

impl MatcherMode {
    pub(super) fn of(field: RecordField) -> Self {
        Self {
            is_of_names: !matches!(field, RecordField::Data | RecordField::Frames),
            is_exact: false,
        }
    }
}

/// The keys in records below which there are data of users.
const DATA_KEYS: [&str; 5] = ["data", "payload", "keys", "value", "answer"];

#[derive(Clone, Debug)]
pub struct NumberBound {
    number: Value,
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

    /// The difference of long strings, or of lists, as lines. Empty for other values and for operators.
    pub fn diff(&self) -> Vec<String> {
        let sides = [&self.expected, &self.actual];
        // Both values are JSON, in which a line break of a string is an escape sequence.
        let [old, new] = sides.map(|side| side.replace("\\n", "\n"));
        if sides.iter().all(|side| side.starts_with(['"', '['])) {
            long_text_diff(&old, &new)
        } else {
            Vec::new()
        }
    }
}

/// The operators that compare values.
pub const OPERATORS: [&str; 10] = [
    "contains", "in_order", "any", "in", "not", "exactly", "matches", "at_least", "at_most",
    "between",
];

/// Whether all keys of a map are operators.
pub(crate) fn is_operation(map: &Map) -> bool {
    !map.entries.is_empty() && map.keys().all(|key| OPERATORS.contains(&key))
}

impl Matcher {
    /// Reads a matcher. A map that contains only operators is a comparison; any other map is matched partially.
    pub fn read(node: &Node, mode: MatcherMode, found: &mut Diagnostics) -> Option<Self> {
        match &node.content {
            Content::Scalar(scalar) => Some(Self::read_scalar(node, scalar, mode)),
            Content::List(items) => Some(Self::List(read_all(items, mode, found)?)),
            Content::Map(map) if is_operation(map) => {
                let entries = map.entries.iter();
                let mut parts: Vec<Self> =
                    all(entries.map(|(key, value)| read_operator(&key.text, value, mode, found)))?;
                if parts.len() == 1 {
                    parts.pop()
                } else {
                    Some(Self::All(parts))
                }
            }
            Content::Map(map) => Self::read_map(map, node.span, mode, found),
        }
    }

    fn read_scalar(node: &Node, scalar: &Scalar, mode: MatcherMode) -> Self {
        let digits = scalar.text.trim_start_matches('-');
        let value = match Value::of_number(node) {
            // No number of a record has these digits, so only a string can match.
            Value::Float(number)
                if digits.bytes().all(|byte| byte.is_ascii_digit())
                    && format!("{:.0}", number.get()) != *scalar.text =>
            {
                Value::text(&scalar.text)
            }
            value => value,
        };
        let is_text = mode.is_of_names || matches!(scalar.datum(), Atom::Text(_));
        Self::Scalar(value, scalar.text.clone(), is_text)
    }

    /// Reads a map whose keys are not operators.
    fn read_map(map: &Map, span: Span, mode: MatcherMode, found: &mut Diagnostics) -> Option<Self> {
        let entries = map.entries.iter().map(|(key, value)| {
            let mode = MatcherMode {
                is_of_names: mode.is_of_names && !DATA_KEYS.contains(&&*key.text),
                ..mode
            };
            Some((key.text.clone(), Self::read(value, mode, found)?))
        });
        Self::Map(all(entries)?, mode.is_exact).checked(span, found)
    }

    /// Reports an expectation that each value of its type meets, or none, so that it or its opposite can never fail.
    pub(super) fn checked(self, span: Span, found: &mut Diagnostics) -> Option<Self> {
        let is_empty = |item: &Self| matches!(item, Self::Scalar(_, text, _) if text.is_empty());
        let (title, help) = match &self {
            Self::Map(entries, false) if entries.is_empty() => (
                "`{}` matches any map",
                "write `{exactly: {}}` for an empty map, or add keys to compare",
            ),
            Self::Contains(items) | Self::InOrder(items)
                if items.is_empty() || items.iter().any(is_empty) =>
            {
                (
                    "expected items or strings to find, found nothing",
                    "add them, or write `[]` or `\"\"` without an operator",
                )
            }
            Self::Any(items) | Self::In(items) if items.is_empty() => (
                "expected alternatives, found an empty list",
                "add the allowed values, or write `[]` without an operator",
            ),
            Self::Pattern(pattern) if matches_any_text(pattern) => (
                "the regular expression matches any string",
                "write a narrower pattern, such as `.` for a string that is not empty",
            ),
            _ => return Some(self),
        };
        Diagnostic::error(Code::BadExpectation, title)
            .at(span, "expects nothing")
            .help(help)
            .refuse(found)
    }

    /// Whether a text matches. Matchers for other types never match.
    pub fn matches_text(&self, text: Option<&str>) -> bool {
        match (self, text) {
            (Self::Scalar(Value::Null, ..), None) => true,
            (Self::Scalar(_, expected, true), Some(text)) => **expected == *text,
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
            Self::Scalar(_, part, _) => text.find(&**part).map(|at| at + part.len()),
            Self::Pattern(pattern) => pattern.find(text).map(|found| found.end()),
            _ => None,
        }
    }

    pub fn matches(&self, value: &Value) -> bool {
        match (self, value) {
            (_, Value::Text(actual)) => self.matches_text(Some(actual)),
            (Self::Scalar(expected, ..), actual) => equal(expected, actual),
            (Self::Map(entries, is_exact), Value::Map(pairs)) => {
                entries
                    .iter()
                    .all(|(key, inner)| inner.matches_part(value.get(key)))
                    && !(*is_exact && unexpected(entries, pairs).next().is_some())
            }
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
                let is = |bound: Option<&NumberBound>, holds: fn(Ordering) -> bool| {
                    bound.is_none_or(|bound| order(value, &bound.number).is_some_and(holds))
                };
                is(least.as_ref(), Ordering::is_ge) && is(most.as_ref(), Ordering::is_le)
            }
            (Self::All(items), actual) => items.iter().all(|item| item.matches(actual)),
            _ => false,
        }
    }

    /// Whether a value in a map matches. A missing value counts as null.
    pub(super) fn matches_part(&self, part: Option<&Value>) -> bool {
        match part {
            Some(part) => self.matches(part),
            None => matches!(self, Self::Scalar(Value::Null, ..)),
        }
    }

    /// Adds the mismatches in a value. Within maps, each mismatch is located as deep as possible.
    pub fn compare(&self, path: &str, value: &Value, mismatches: &mut Vec<Mismatch>) {
        if self.matches(value) {
            return;
        }
        if let (Self::Map(entries, is_exact), Value::Map(pairs)) = (self, value) {
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
            let more = unexpected(entries, pairs).filter(|_| *is_exact);
            mismatches.extend(more.map(|(key, actual)| {
                Mismatch::new(format!("{path}.{key}"), "nothing", actual.to_string())
            }));
            return;
        }
        mismatches.push(Mismatch {
            nearest: self.nearest(value),
            ..Mismatch::new(path, self.to_string(), value.to_string())
        });
    }
}

/// The entries of a map that are not expected. Null counts as absent.
fn unexpected<'v>(
    expected: &'v [(Box<str>, Matcher)],
    pairs: &'v [(Arc<str>, Value)],
) -> impl Iterator<Item = &'v (Arc<str>, Value)> {
    pairs.iter().filter(move |(key, value)| {
        !value.is_null() && !expected.iter().any(|(known, _)| **known == **key)
    })
}

/// Whether a pattern matches the empty string and a string with its own and all usual characters. Then it matches any
/// string, unless it excludes a rare character in a rare way.
fn matches_any_text(pattern: &Regex) -> bool {
    let usual = || ('\u{1}'..='\u{4ff}').chain("אع中あ한😀".chars());
    pattern.is_match("")
        && pattern.is_match(&usual().chain(pattern.as_str().chars()).collect::<String>())
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

pub(super) fn read_all(
    items: &[Node],
    mode: MatcherMode,
    found: &mut Diagnostics,
) -> Option<Vec<Matcher>> {
    all(items.iter().map(|item| Matcher::read(item, mode, found)))
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
    mode: MatcherMode,
    found: &mut Diagnostics,
) -> Option<Matcher> {
    let mode = MatcherMode {
        is_exact: operator == "exactly",
        ..mode
    };
    let matcher = match operator {
        "not" => Some(Matcher::Not(Box::new(Matcher::read(node, mode, found)?))),
        // The keys of the map are never operators, so a slot can have any name.
        "exactly" => match node.map() {
            Some(map) => Matcher::read_map(map, node.span, mode, found),
            None => Matcher::read(node, mode, found),
        },
        "matches" => {
            let text = node
                .text()
                .ok_or_else(|| format!("expected a string for `matches`, found {}", node.kind()));
            let pattern = text.and_then(|text| {
                let mut budget = PatternBudget::new(MAX_SCENARIO_PATTERNS, found.patterns);
                let pattern = budget.compile(text, true);
                found.patterns = budget.spent();
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
                Some(Ok([least, most]))
                    if order(&least.number, &most.number).is_some_and(Ordering::is_le) =>
                {
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
            let items = read_all(items, mode, found)?;
            Some(match operator {
                "contains" => Matcher::Contains(items),
                "in_order" => Matcher::InOrder(items),
                "any" => Matcher::Any(items),
                _ => Matcher::In(items),
            })
        }
    };
    matcher?.checked(node.span, found)
}

fn bound(operator: &str, node: &Node, found: &mut Diagnostics) -> Option<NumberBound> {
    match (
        node.number().filter(|number| number.is_finite()),
        node.text(),
    ) {
        (Some(_), Some(text)) => Some(NumberBound {
            number: Value::of_number(node),
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
            order(expected, actual) == Some(Ordering::Equal)
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
            Self::Scalar(value @ (Value::Int(_) | Value::Float(_)), text, _)
                if value.to_string() != **text =>
            {
                Value::text(text).fmt(f)
            }
            Self::Scalar(value, ..) => value.fmt(f),
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
            Self::Map(entries, is_exact) => {
                let exactly = if *is_exact { "exactly " } else { "" };
                let entries = entries.iter().map(|(key, inner)| format!("{key}: {inner}"));
                write!(f, "{exactly}{{{}}}", entries.joined(", "))
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

    fn read(text: &str) -> Option<Matcher> {
        let mode = MatcherMode::default();
        Matcher::read(&node(text), mode, &mut Diagnostics::default())
    }

    fn mismatches(matcher: &str, value: &str) -> Vec<String> {
        let matcher = read(matcher).unwrap();
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
        assert_eq!(mismatches("50", "'50'"), ["x: 50 / \"50\""]);
        assert_eq!(mismatches("'50'", "50"), ["x: \"50\" / 50"]);
        assert_eq!(mismatches("true", "'true'").len(), 1);
        assert_eq!(mismatches("null", "'null'").len(), 1);
        // These are strings in data.
        assert_eq!(mismatches("007", "007"), [""; 0]);
        assert_eq!(mismatches("{payload: +79}", "{payload: +79}"), [""; 0]);
        assert_eq!(mismatches("no", "false"), ["x: \"no\" / false"]);
        assert_eq!(mismatches("null", "~"), [""; 0]);
    }

    #[test]
    fn names_match_numbers_as_typed() {
        let mode = MatcherMode::of(RecordField::Path);
        let text = "{path: [50], payload: 50}";
        let matcher = Matcher::read(&node(text), mode, &mut Diagnostics::default()).unwrap();
        assert!(matcher.matches(&Value::from(&node("{path: ['50'], payload: 50}"))));
        assert!(!matcher.matches(&Value::from(&node("{path: ['50'], payload: '50'}"))));
    }

    #[test]
    fn numbers_are_compared_exactly() {
        let differing = [
            ("1234567890123456789", "1234567890123456788"),
            ("{at_least: 1234567890123456789}", "1234567890123456788"),
            ("9007199254740993", "9007199254740992.0"),
            ("18446744073709551614", "18446744073709551615"),
            ("1", "1.5"),
        ];
        for (matcher, value) in differing {
            assert_eq!(mismatches(matcher, value).len(), 1, "{matcher}");
        }
        for number in ["1234567890123456789", "18446744073709551614", "1.10"] {
            assert_eq!(mismatches(number, number), [""; 0]);
        }
        assert_eq!(mismatches("1", "1.0"), [""; 0]);
    }

    #[test]
    fn exactly_allows_no_other_keys() {
        let cases: [(&str, &str, &[&str]); 7] = [
            ("{}", "{}", &[]),
            ("{a: 1}", "{a: 1, b: null}", &[]),
            ("{a: 1}", "{a: 1, b: 2}", &["x.b: nothing / 2"]),
            ("{a: {b: 1}}", "{a: {b: 1, c: 2}}", &["x.a.c: nothing / 2"]),
            ("{a: {at_least: 1}}", "{a: 2}", &[]),
            ("{in: 5}", "{in: 5}", &[]),
            ("[{}]", "[{b: 2}]", &["x: [exactly {}] / [{b: 2}]"]),
        ];
        for (expected, value, found) in cases {
            assert_eq!(
                mismatches(&format!("{{exactly: {expected}}}"), value),
                found
            );
        }
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
        let matcher = read(matcher).unwrap();
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
            let mode = MatcherMode::default();
            assert!(
                Matcher::read(&node(text), mode, &mut found).is_none(),
                "{text}"
            );
            assert_eq!(found.items().len(), 1, "{text}");
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
        assert!(matches!(read("{in: 5, other: 3}"), Some(Matcher::Map(..))));
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
