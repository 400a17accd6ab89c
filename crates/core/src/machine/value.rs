//! A piece of collected data.

use std::sync::Arc;

use serde::de::{Deserialize, Deserializer};
use serde::ser::{Serialize, SerializeMap, Serializer};

use super::List;
use fsmsim_syntax::document::{Atom, Content, Node};
use fsmsim_syntax::terminal::Joined;

/// A JSON value. Cheap to clone; equality is exact and values can be hashed, so sessions can be compared.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Default)]
pub enum Value {
    /// Null.
    #[default]
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// An integer.
    Int(i64),
    /// Any other number, stored as its bits.
    Float(Float),
    Text(Arc<str>),
    List(List),
    /// A map in input order.
    Map(Arc<[(Arc<str>, Value)]>),
}

/// A float stored as its bits, so that it can be compared and hashed.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Float(u64);

impl Float {
    pub fn new(value: f64) -> Self {
        Self(value.to_bits())
    }

    pub fn get(self) -> f64 {
        f64::from_bits(self.0)
    }
}

impl std::fmt::Debug for Float {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.get().fmt(f)
    }
}

impl Value {
    /// The value of a scalar where a number is expected: `0.30` is a number, not text.
    pub fn of_number(node: &Node) -> Self {
        match node.atom() {
            Some(Atom::Int(value)) => Self::Int(value),
            Some(Atom::Float(value)) => Self::Float(Float::new(value)),
            _ => Self::from(node),
        }
    }

    /// The value of an answer: scalars can be numbers except under `data`.
    pub fn of_answer(node: &Node) -> Self {
        match &node.content {
            Content::Scalar(_) => Self::of_number(node),
            Content::List(items) => Self::List(items.iter().map(Self::of_answer).collect()),
            Content::Map(map) => {
                let value = |key: &str, node: &Node| {
                    if key == "data" {
                        Self::from(node)
                    } else {
                        Self::of_answer(node)
                    }
                };
                Self::Map(
                    map.entries
                        .iter()
                        .map(|(key, node)| ((*key.text).into(), value(&key.text, node)))
                        .collect(),
                )
            }
        }
    }

    /// Whether this is null.
    #[inline]
    pub fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }

    pub fn text(text: &str) -> Self {
        Self::Text(text.into())
    }

    /// Whether the value is truthy in a condition: null, false, 0, and empty strings, lists and maps are not.
    pub fn truthy(&self) -> bool {
        match self {
            Self::Null => false,
            Self::Bool(value) => *value,
            Self::Int(value) => *value != 0,
            Self::Float(value) => value.get() != 0.0,
            Self::Text(text) => !text.is_empty(),
            Self::List(items) => !items.is_empty(),
            Self::Map(pairs) => !pairs.is_empty(),
        }
    }

    /// Whether the value is data: anything but null and empty strings, lists and maps.
    pub fn filled(&self) -> bool {
        match self {
            Self::Bool(_) | Self::Int(_) | Self::Float(_) => true,
            _ => self.truthy(),
        }
    }

    /// Whether a value has at most `levels` levels of nesting.
    pub fn is_within(&self, levels: usize) -> bool {
        let inner = |value: &Self| levels > 0 && value.is_within(levels - 1);
        match self {
            Self::List(items) => items.iter().all(inner),
            Self::Map(pairs) => pairs.iter().all(|(_, value)| inner(value)),
            _ => true,
        }
    }

    /// The string, if this is one.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    /// A string without quotation marks; any other value as JSON.
    pub fn plain(&self) -> String {
        self.as_text()
            .map_or_else(|| self.to_string(), str::to_owned)
    }

    /// This value, or `otherwise` if this is null.
    pub fn or<'v>(&'v self, otherwise: &'v Self) -> &'v Self {
        if self.is_null() { otherwise } else { self }
    }

    /// The human-readable value: strings without quotation marks, items of a list separated by semicolons.
    pub fn in_words(&self) -> String {
        match self {
            Self::Text(text) => text.to_string(),
            Self::List(items) => items.iter().map(Self::in_words).joined("; "),
            other => other.to_string(),
        }
    }

    /// The number, if this is one; `true` is 1 and `false` is 0.
    pub fn as_number(&self) -> Option<f64> {
        match self {
            #[expect(
                clippy::cast_precision_loss,
                reason = "dialogue data are small numbers"
            )]
            Self::Int(value) => Some(*value as f64),
            Self::Float(value) => Some(value.get()),
            Self::Bool(value) => Some(f64::from(u8::from(*value))),
            _ => None,
        }
    }

    /// The time in seconds since 1970, if this is a string such as `2026-01-31T18:00:00Z` (RFC 3339).
    pub fn as_seconds(&self) -> Option<i64> {
        Some(
            chrono::DateTime::parse_from_rfc3339(self.as_text()?)
                .ok()?
                .timestamp(),
        )
    }

    /// The list, if this is one.
    pub fn list(&self) -> Option<&List> {
        match self {
            Self::List(items) => Some(items),
            _ => None,
        }
    }

    /// The items of a list; empty for any other value.
    pub fn items(&self) -> impl Iterator<Item = &Self> {
        self.list().into_iter().flat_map(List::iter)
    }

    /// The strings in a list.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        self.items().filter_map(Self::as_text)
    }

    /// The value of `key`, if this is a map that has it.
    pub fn get(&self, key: &str) -> Option<&Value> {
        match self {
            Self::Map(pairs) => pairs
                .iter()
                .find(|(name, _)| &**name == key)
                .map(|(_, value)| value),
            _ => None,
        }
    }

    /// The value at a path of keys in nested maps.
    pub fn at(&self, path: &[Box<str>]) -> Option<&Self> {
        path.iter().try_fold(self, |value, key| value.get(key))
    }

    /// Creates a map. Keys should be unique: [`get`](Self::get) returns the first value of a key.
    pub fn map<'k>(pairs: impl IntoIterator<Item = (&'k str, Value)>) -> Self {
        Self::Map(
            pairs
                .into_iter()
                .map(|(key, value)| (key.into(), value))
                .collect(),
        )
    }
}

impl From<&Node> for Value {
    fn from(node: &Node) -> Self {
        match &node.content {
            Content::Scalar(scalar) => match scalar.datum() {
                Atom::Null => Self::Null,
                Atom::Bool(value) => Self::Bool(value),
                Atom::Int(value) => Self::Int(value),
                Atom::Float(value) => Self::Float(Float::new(value)),
                Atom::Text(text) => Self::text(text),
            },
            Content::List(items) => Self::List(items.iter().map(Self::from).collect()),
            Content::Map(map) => Self::Map(
                map.entries
                    .iter()
                    .map(|(key, value)| ((*key.text).into(), Self::from(value)))
                    .collect(),
            ),
        }
    }
}

impl Serialize for Value {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Null => serializer.serialize_unit(),
            Self::Bool(value) => serializer.serialize_bool(*value),
            Self::Int(value) => serializer.serialize_i64(*value),
            Self::Float(value) => serializer.serialize_f64(value.get()),
            Self::Text(text) => serializer.serialize_str(text),
            Self::List(items) => serializer.collect_seq(items.iter()),
            Self::Map(pairs) => {
                let mut map = serializer.serialize_map(Some(pairs.len()))?;
                for (key, value) in pairs.iter() {
                    map.serialize_entry(&**key, value)?;
                }
                map.end()
            }
        }
    }
}

impl From<serde_json::Value> for Value {
    fn from(value: serde_json::Value) -> Self {
        match value {
            serde_json::Value::Null => Self::Null,
            serde_json::Value::Bool(value) => Self::Bool(value),
            serde_json::Value::Number(number) => match number.as_i64() {
                Some(number) => Self::Int(number),
                None => Self::Float(Float::new(number.as_f64().unwrap_or_default())),
            },
            serde_json::Value::String(text) => Self::text(&text),
            serde_json::Value::Array(items) => {
                Self::List(items.into_iter().map(Self::from).collect())
            }
            serde_json::Value::Object(map) => Self::Map(
                map.into_iter()
                    .map(|(key, value)| (key.into(), Self::from(value)))
                    .collect(),
            ),
        }
    }
}

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        serde_json::Value::deserialize(deserializer).map(Self::from)
    }
}

/// The value for messages: scalars as JSON, lists and maps with spaces between their items.
impl std::fmt::Display for Value {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::List(items) => {
                let items = items.iter().map(ToString::to_string);
                write!(f, "[{}]", items.joined(", "))
            }
            Self::Map(pairs) => {
                let pairs = pairs.iter().map(|(key, value)| format!("{key}: {value}"));
                write!(f, "{{{}}}", pairs.joined(", "))
            }
            scalar => f.write_str(&serde_json::to_string(scalar).unwrap_or_default()),
        }
    }
}
