//! A document as a tree with the positions of all values and keys.

use crate::diagnostic::Span;

/// A value with its position.
#[derive(Clone, Debug)]
pub struct Node {
    /// The position. For a map or list without brackets: from its first to its last item.
    pub span: Span,
    pub content: Content,
}

/// The kinds of values.
#[derive(Clone, Debug)]
pub enum Content {
    /// A string, number, boolean or null.
    Scalar(Scalar),
    List(Vec<Node>),
    /// A map in the order of the file.
    Map(Map),
}

/// A scalar as written. The code that uses it decides on its type.
#[derive(Clone, Debug)]
pub struct Scalar {
    /// The text after escapes are resolved.
    pub text: Box<str>,
    /// Whether it is written without quotes, so that it can be null, a boolean or a number.
    pub plain: bool,
}

/// The value of a scalar by the YAML 1.2 core schema.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Atom<'a> {
    /// `null`, `~` or an empty value.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// An integer.
    Int(i64),
    /// Any other number.
    Float(f64),
    /// A string.
    Text(&'a str),
}

/// A key of a map with its position.
#[derive(Clone, Debug)]
pub struct Key {
    pub text: Box<str>,
    pub span: Span,
}

/// The keys and values of a map, in the order of the file. Keys are unique.
#[derive(Clone, Debug, Default)]
pub struct Map {
    pub entries: Vec<(Key, Node)>,
}

impl Map {
    /// An empty map with space for `size` entries.
    pub fn with_capacity(size: usize) -> Self {
        Self {
            entries: Vec::with_capacity(size),
        }
    }

    /// The value of `key`. The cost is linear in the size of the map.
    pub fn get(&self, key: &str) -> Option<&Node> {
        self.entry(key).map(|(_, value)| value)
    }

    /// The value of `key`. Null counts as absent.
    pub fn given(&self, key: &str) -> Option<&Node> {
        self.get(key).filter(|node| !node.is_null())
    }

    /// The key with its position, and its value.
    pub fn entry(&self, key: &str) -> Option<&(Key, Node)> {
        self.entries.iter().find(|(name, _)| &*name.text == key)
    }

    /// Removes a key and returns its value.
    pub fn take(&mut self, key: &str) -> Option<Node> {
        let at = self
            .entries
            .iter()
            .position(|(name, _)| &*name.text == key)?;
        Some(self.entries.remove(at).1)
    }

    /// Adds a value, if there is one, with a key at the same position.
    pub fn put(&mut self, key: &str, value: Option<Node>) {
        self.entries.extend(value.map(|value| {
            (
                Key {
                    text: key.into(),
                    span: value.span,
                },
                value,
            )
        }));
    }

    /// The map as a value at `span`.
    pub fn at(self, span: Span) -> Node {
        Node {
            span,
            content: Content::Map(self),
        }
    }

    pub fn keys(&self) -> impl Iterator<Item = &str> {
        self.entries.iter().map(|(key, _)| &*key.text)
    }
}

impl Node {
    /// A null value at `span`.
    pub fn null(span: Span) -> Self {
        Self {
            span,
            content: Content::Scalar(Scalar {
                text: Box::default(),
                plain: true,
            }),
        }
    }

    /// A string at `span`.
    pub fn quoted(text: &str, span: Span) -> Self {
        Self {
            span,
            content: Content::Scalar(Scalar {
                text: text.into(),
                plain: false,
            }),
        }
    }

    /// The value of a scalar; `None` for lists and maps.
    pub fn atom(&self) -> Option<Atom<'_>> {
        match &self.content {
            Content::Scalar(scalar) => Some(scalar.atom()),
            _ => None,
        }
    }

    /// The text of any scalar except null: where a string is expected, `no` and `50` are strings.
    pub fn text(&self) -> Option<&str> {
        match &self.content {
            Content::Scalar(scalar) if scalar.atom() != Atom::Null => Some(&scalar.text),
            _ => None,
        }
    }

    pub fn boolean(&self) -> Option<bool> {
        match self.atom() {
            Some(Atom::Bool(value)) => Some(value),
            _ => None,
        }
    }

    /// An integer or a float.
    pub fn number(&self) -> Option<f64> {
        match self.atom() {
            #[expect(clippy::cast_precision_loss, reason = "numbers in documents are small")]
            Some(Atom::Int(value)) => Some(value as f64),
            Some(Atom::Float(value)) => Some(value),
            _ => None,
        }
    }

    /// The items of a list. A value that is not a list counts as a list of one.
    pub fn items(&self) -> &[Node] {
        self.list().unwrap_or(std::slice::from_ref(self))
    }

    pub fn list(&self) -> Option<&[Node]> {
        match &self.content {
            Content::List(items) => Some(items),
            _ => None,
        }
    }

    /// The entries of a map; empty for other values.
    pub fn entries(&self) -> &[(Key, Node)] {
        self.map().map_or(&[], |map| &map.entries)
    }

    pub fn map(&self) -> Option<&Map> {
        match &self.content {
            Content::Map(map) => Some(map),
            _ => None,
        }
    }

    /// The node with its numbers in JSON syntax, so that `1.50` and `1.5` are the same number.
    pub(super) fn with_json_numbers(self) -> Self {
        let content = match self.content {
            Content::Scalar(scalar) if scalar.plain => {
                Content::Scalar(Scalar::json_word(&scalar.text))
            }
            Content::List(items) => {
                Content::List(items.into_iter().map(Self::with_json_numbers).collect())
            }
            Content::Map(map) => {
                let entries = map
                    .entries
                    .into_iter()
                    .map(|(key, value)| (key, value.with_json_numbers()));
                Content::Map(Map {
                    entries: entries.collect(),
                })
            }
            scalar @ Content::Scalar(_) => scalar,
        };
        Self {
            span: self.span,
            content,
        }
    }

    /// Calls `visit` with each string of the tree, including keys, and with its location.
    pub fn each_text<'n>(&'n self, visit: &mut impl FnMut(&'n str, Span)) {
        match &self.content {
            Content::Scalar(scalar) => visit(&scalar.text, self.span),
            Content::List(items) => items.iter().for_each(|item| item.each_text(visit)),
            Content::Map(map) => {
                for (key, value) in &map.entries {
                    visit(&key.text, key.span);
                    value.each_text(visit);
                }
            }
        }
    }

    /// Returns the map without copying it.
    pub fn into_map(self) -> Option<Map> {
        match self.content {
            Content::Map(map) => Some(map),
            _ => None,
        }
    }

    /// The value of `key`, if this is a map with this key.
    pub fn get(&self, key: &str) -> Option<&Node> {
        self.map()?.get(key)
    }

    pub fn is_null(&self) -> bool {
        self.atom() == Some(Atom::Null)
    }

    /// The kind of the value, for messages.
    pub fn kind(&self) -> &'static str {
        match &self.content {
            Content::List(_) => "a list",
            Content::Map(_) => "a map",
            Content::Scalar(scalar) => match scalar.atom() {
                Atom::Null => "an empty value",
                Atom::Bool(_) => "a boolean",
                Atom::Int(_) => "an integer",
                Atom::Float(value) if !value.is_finite() => "infinity or NaN",
                Atom::Float(_) => "a number",
                Atom::Text(_) => "a string",
            },
        }
    }
}

impl Scalar {
    /// The value of the scalar as user data, which keeps its text. It is a number only if printing the number restores
    /// the text: `+79…`, `042` and `1.10` are strings.
    pub fn datum(&self) -> Atom<'_> {
        match self.atom() {
            Atom::Int(value) if value.to_string() != *self.text => Atom::Text(&self.text),
            Atom::Float(value) if printed(value).as_deref() != Some(&*self.text) => {
                Atom::Text(&self.text)
            }
            atom => atom,
        }
    }

    /// The scalar of a JSON literal. Its number syntax is normalized.
    pub(super) fn json_word(text: &str) -> Self {
        let scalar = Self {
            text: text.into(),
            plain: true,
        };
        match scalar.atom() {
            Atom::Int(value) => Self {
                text: value.to_string().into(),
                plain: true,
            },
            Atom::Float(value) => Self {
                text: printed(value).map_or(scalar.text, String::into),
                plain: true,
            },
            _ => scalar,
        }
    }

    /// The value of the scalar by the YAML 1.2 core schema. Quoted scalars are strings.
    pub fn atom(&self) -> Atom<'_> {
        if !self.plain {
            return Atom::Text(&self.text);
        }
        let text: &str = &self.text;
        match text.as_bytes().first() {
            None => Atom::Null,
            Some(b'~' | b'n' | b'N' | b't' | b'T' | b'f' | b'F') => match text {
                "~" | "null" | "Null" | "NULL" => Atom::Null,
                "true" | "True" | "TRUE" => Atom::Bool(true),
                "false" | "False" | "FALSE" => Atom::Bool(false),
                _ => Atom::Text(text),
            },
            Some(b'0'..=b'9' | b'+' | b'-' | b'.') => number(text).unwrap_or(Atom::Text(text)),
            Some(_) => Atom::Text(text),
        }
    }
}

/// A number in JSON syntax; `None` for infinity and NaN.
fn printed(value: f64) -> Option<String> {
    value
        .is_finite()
        .then(|| serde_json::to_string(&value).ok())
        .flatten()
}

fn number(text: &str) -> Option<Atom<'static>> {
    if let Some(digits) = text.strip_prefix("0x") {
        return i64::from_str_radix(digits, 16).ok().map(Atom::Int);
    }
    if let Some(digits) = text.strip_prefix("0o") {
        return i64::from_str_radix(digits, 8).ok().map(Atom::Int);
    }
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    match unsigned {
        ".inf" | ".Inf" | ".INF" => {
            let sign = if text.starts_with('-') { -1.0 } else { 1.0 };
            return Some(Atom::Float(sign * f64::INFINITY));
        }
        ".nan" | ".NaN" | ".NAN" if unsigned.len() == text.len() => {
            return Some(Atom::Float(f64::NAN));
        }
        _ => {}
    }
    if !unsigned.is_empty() && unsigned.bytes().all(|byte| byte.is_ascii_digit()) {
        // An integer beyond 64 bits becomes the nearest float.
        return text
            .parse()
            .map(Atom::Int)
            .or_else(|_| text.parse().map(Atom::Float))
            .ok();
    }
    let allowed =
        |byte: u8| byte.is_ascii_digit() || matches!(byte, b'.' | b'e' | b'E' | b'+' | b'-');
    let has_digit = unsigned.bytes().any(|byte| byte.is_ascii_digit());
    if has_digit && unsigned.bytes().all(allowed) {
        return text.parse().map(Atom::Float).ok();
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(text: &str) -> Scalar {
        Scalar {
            text: text.into(),
            plain: true,
        }
    }

    #[test]
    fn plain_scalars_follow_the_core_schema() {
        let expected = [
            ("", Atom::Null),
            ("~", Atom::Null),
            ("null", Atom::Null),
            ("no", Atom::Text("no")),
            ("yes", Atom::Text("yes")),
            ("True", Atom::Bool(true)),
            ("12", Atom::Int(12)),
            ("-7", Atom::Int(-7)),
            ("0x1F", Atom::Int(31)),
            ("0o17", Atom::Int(15)),
            ("012", Atom::Int(12)),
            ("1.5", Atom::Float(1.5)),
            ("-2e3", Atom::Float(-2000.0)),
            (".inf", Atom::Float(f64::INFINITY)),
            ("-.Inf", Atom::Float(f64::NEG_INFINITY)),
            ("99999999999999999999", Atom::Float(1e20)),
            ("1.2.3", Atom::Text("1.2.3")),
            ("-", Atom::Text("-")),
            ("+79001234567", Atom::Int(79_001_234_567)),
            ("12:30", Atom::Text("12:30")),
            ("e5", Atom::Text("e5")),
        ];
        for (text, atom) in expected {
            assert_eq!(plain(text).atom(), atom, "{text:?}");
        }
    }

    #[test]
    fn data_keeps_its_text_if_a_number_would_change_it() {
        for text in [
            "+79001112233",
            "007",
            "1.10",
            "0x1F",
            "1e3",
            "-0",
            ".5",
            ".inf",
            ".nan",
            "99999999999999999999",
        ] {
            assert_eq!(plain(text).datum(), Atom::Text(text));
        }
        for (text, atom) in [
            ("7", Atom::Int(7)),
            ("-7", Atom::Int(-7)),
            ("1.1", Atom::Float(1.1)),
            ("5.0", Atom::Float(5.0)),
            ("true", Atom::Bool(true)),
            ("~", Atom::Null),
        ] {
            assert_eq!(plain(text).datum(), atom);
        }
        for (text, atom) in [
            ("1.10", Atom::Float(1.1)),
            ("1e3", Atom::Float(1000.0)),
            ("-0", Atom::Int(0)),
        ] {
            assert_eq!(Scalar::json_word(text).datum(), atom);
        }
    }

    #[test]
    fn quoted_scalars_are_text() {
        let quoted = Scalar {
            text: "12".into(),
            plain: false,
        };
        assert_eq!(quoted.atom(), Atom::Text("12"));
    }
}
