//! A JSON tree that borrows its strings from the line. Reading the trace of an external system takes little longer than
//! finding the quotation marks.

use std::borrow::Cow;
use std::fmt;

use fsmsim_core::machine::{Float, Value};
use fsmsim_syntax::diagnostic::Span;
use fsmsim_syntax::document::{Content, LocatedJson, Map, Node, Scalar, is_json_text};

/// A JSON value.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum BorrowedJson<'a> {
    /// `null`.
    #[default]
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// An integer.
    Int(i64),
    /// Any other number.
    Float(f64),
    Text(Cow<'a, str>),
    List(Vec<BorrowedJson<'a>>),
    /// A map, in the order of the line.
    Map(Vec<(Cow<'a, str>, BorrowedJson<'a>)>),
}

/// The result of a path without a value.
const NOTHING: &BorrowedJson<'static> = &BorrowedJson::Null;

impl<'a> BorrowedJson<'a> {
    /// Whether the value is `null`.
    pub fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }

    /// The string, if the value is one.
    pub fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The boolean, if the value is one.
    pub fn boolean(&self) -> Option<bool> {
        match self {
            Self::Bool(value) => Some(*value),
            _ => None,
        }
    }

    /// The appended items and the new length, if the value records a collected list.
    pub fn collected(&self) -> Option<(&[Self], usize)> {
        let Self::Map(pairs) = self else { return None };
        let appended = self.get("appended").filter(|_| pairs.len() == 2)?.list()?;
        Some((
            appended,
            usize::try_from(self.get("length")?.integer()?).ok()?,
        ))
    }

    /// The integer, if the value is one.
    pub fn integer(&self) -> Option<i64> {
        match self {
            Self::Int(value) => Some(*value),
            _ => None,
        }
    }

    /// The items, if the value is a list.
    pub fn list(&self) -> Option<&[BorrowedJson<'a>]> {
        match self {
            Self::List(items) => Some(items),
            _ => None,
        }
    }

    /// The items; empty if the value is not a list.
    pub fn items(&self) -> &[BorrowedJson<'a>] {
        self.list().unwrap_or_default()
    }

    pub fn is_map(&self) -> bool {
        matches!(self, Self::Map(_))
    }

    /// The pairs; empty if the value is not a map.
    pub fn entries(&self) -> &[(Cow<'a, str>, BorrowedJson<'a>)] {
        match self {
            Self::Map(pairs) => pairs,
            _ => &[],
        }
    }

    /// The value of `key`, if this value is a map that contains it. If a key is duplicated, the last one counts.
    pub fn get(&self, key: &str) -> Option<&BorrowedJson<'a>> {
        self.entries()
            .iter()
            .rev()
            .find(|(name, _)| name == key)
            .map(|(_, value)| value)
    }

    /// The value of `key`, or `null`.
    pub fn at(&self, key: &str) -> &BorrowedJson<'a> {
        self.get(key).unwrap_or(NOTHING)
    }

    /// Converts the value to the type that machines use.
    pub fn to_value(&self) -> Value {
        match self {
            Self::Null => Value::Null,
            Self::Bool(value) => Value::Bool(*value),
            Self::Int(value) => Value::Int(*value),
            Self::Float(value) => Value::Float(Float::new(*value)),
            Self::Text(text) => Value::text(text),
            Self::List(items) => Value::List(items.iter().map(Self::to_value).collect()),
            Self::Map(pairs) => {
                Value::map(pairs.iter().map(|(key, value)| (&**key, value.to_value())))
            }
        }
    }

    /// Converts the value to the kind of tree from which turns and starts are parsed. All nodes are at `span`.
    pub fn to_node(&self, span: Span) -> Node {
        let scalar = |text: &str, plain: bool| {
            Content::Scalar(Scalar {
                text: text.into(),
                plain,
            })
        };
        let content = match self {
            Self::Null => scalar("", true),
            Self::Bool(value) => scalar(if *value { "true" } else { "false" }, true),
            Self::Int(value) => scalar(&value.to_string(), true),
            Self::Float(value) => scalar(&serde_json::to_string(value).unwrap_or_default(), true),
            Self::Text(text) => scalar(text, false),
            Self::List(items) => {
                Content::List(items.iter().map(|item| item.to_node(span)).collect())
            }
            Self::Map(pairs) => {
                let mut map = Map::with_capacity(pairs.len());
                for (key, value) in pairs {
                    map.put(key, Some(value.to_node(span)));
                }
                return map.at(span);
            }
        };
        Node { span, content }
    }

    /// The kind of value, for messages.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Null => "an empty value",
            Self::Bool(_) => "a boolean",
            Self::Int(_) => "an integer",
            Self::Float(_) => "a number",
            Self::Text(_) => "a string",
            Self::List(_) => "a list",
            Self::Map(_) => "a map",
        }
    }

    /// Whether both values are equal. The order of keys is irrelevant, a `null` key equals a missing key, and an
    /// integer equals the same number with a decimal point.
    pub fn agrees(&self, value: &Value) -> bool {
        match (self, value) {
            (Self::Null, Value::Null) => true,
            (Self::Bool(one), Value::Bool(other)) => one == other,
            (Self::Text(one), Value::Text(other)) => *one == **other,
            (Self::Int(one), Value::Int(other)) => one == other,
            (Self::Int(_) | Self::Float(_), Value::Int(_) | Value::Float(_)) => {
                let bits = |value: &Value| value.as_number().map(f64::to_bits);
                bits(&self.to_value()) == bits(value)
            }
            (Self::List(one), Value::List(other)) => {
                one.len() == other.len()
                    && one
                        .iter()
                        .zip(other.iter())
                        .all(|(one, other)| one.agrees(other))
            }
            (Self::Map(_), Value::List(list)) => {
                self.collected().is_some_and(|(appended, length)| {
                    let start = list
                        .len()
                        .checked_sub(appended.len())
                        .filter(|_| length == list.len());
                    start.is_some_and(|start| {
                        list.since(start)
                            .zip(appended)
                            .all(|(item, recorded)| recorded.agrees(item))
                    })
                })
            }
            (Self::Map(one), Value::Map(other)) => {
                one.iter()
                    .all(|(key, item)| item.agrees(value.get(key).unwrap_or(&Value::Null)))
                    && other
                        .iter()
                        .all(|(key, item)| item.is_null() || self.get(key).is_some())
            }
            _ => false,
        }
    }
}

impl LocatedJson for BorrowedJson<'_> {
    fn member(&self, key: &str) -> Option<&Self> {
        self.get(key)
    }

    fn list_items(&self) -> Option<&[Self]> {
        self.list()
    }

    fn as_string(&self) -> Option<&str> {
        self.text()
    }

    fn key_names(&self) -> Vec<String> {
        let entries = self.entries().iter();
        entries.map(|(key, _)| key.to_string()).collect()
    }

    fn equals(&self, value: &serde_json::Value) -> bool {
        self.agrees(&Value::from(value.clone()))
    }

    fn of_list(items: Vec<Self>) -> Self {
        Self::List(items)
    }

    fn parse(text: &str) -> Option<Self> {
        let parsed = || serde_json::from_str::<serde_json::Value>(text).ok();
        let parsed = is_json_text(text).then(parsed)??;
        Some(Self::from(&Value::from(parsed)))
    }
}

impl From<&Value> for BorrowedJson<'_> {
    fn from(value: &Value) -> Self {
        match value {
            Value::Null => Self::Null,
            Value::Bool(value) => Self::Bool(*value),
            Value::Int(value) => Self::Int(*value),
            Value::Float(value) => Self::Float(value.get()),
            Value::Text(text) => Self::Text(Cow::Owned(text.to_string())),
            Value::List(items) => Self::List(items.iter().map(Self::from).collect()),
            Value::Map(pairs) => Self::Map(
                pairs
                    .iter()
                    .map(|(key, value)| (Cow::Owned(key.to_string()), Self::from(value)))
                    .collect(),
            ),
        }
    }
}

/// Displays the value in the same form as [`Value`].
impl fmt::Display for BorrowedJson<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.to_value().fmt(f)
    }
}
