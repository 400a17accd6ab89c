//! Reading a map field by field: typed values, findings with places, and no key left unread.

use std::collections::BTreeSet;

use smallvec::SmallVec;
use strum::VariantArray;

use super::node::{Atom, Content, Key, Map, Node};
use crate::diagnostic::{Code, Diagnostic, Diagnostics, Span};

/// A map being read. Each accessor notes its key; [`Fields::finish`] reports the keys that nobody asked for.
pub struct Fields<'n, 'd> {
    map: &'n Map,
    span: Span,
    what: &'static str,
    /// The keys that were asked for, some perhaps twice.
    known: SmallVec<[&'static str; 24]>,
    found: &'d mut Diagnostics,
}

impl<'n, 'd> Fields<'n, 'd> {
    /// Opens `node` as the map that describes `what` ("a turn"). `None`, with a finding, where it is no map.
    pub fn open(node: &'n Node, what: &'static str, found: &'d mut Diagnostics) -> Option<Self> {
        match &node.content {
            Content::Map(map) => Some(Self { map, span: node.span, what, known: SmallVec::new(), found }),
            _ => {
                wrong_type(node, &format!("{what} is a map"), found);
                None
            }
        }
    }

    /// Where the map stands.
    pub fn span(&self) -> Span {
        self.span
    }

    /// The findings, for what the accessors do not cover.
    pub fn found(&mut self) -> &mut Diagnostics {
        self.found
    }

    /// The value under `key`; a null counts as absent.
    pub fn node(&mut self, key: &'static str) -> Option<&'n Node> {
        self.raw(key).filter(|node| !node.is_null())
    }

    /// The value under `key`, null included.
    pub fn raw(&mut self, key: &'static str) -> Option<&'n Node> {
        self.known.push(key);
        self.map.get(key)
    }

    /// A text.
    pub fn text(&mut self, key: &'static str) -> Option<&'n str> {
        let node = self.node(key)?;
        text_of(node, key, self.found)
    }

    /// A text that must be there.
    pub fn required_text(&mut self, key: &'static str) -> Option<&'n str> {
        if self.node(key).is_none() {
            self.missing(key);
            return None;
        }
        self.text(key)
    }

    /// A list of texts; a single text counts as a list of one.
    pub fn texts(&mut self, key: &'static str) -> Vec<&'n str> {
        let Some(node) = self.node(key) else {
            return Vec::new();
        };
        let items = node.list().unwrap_or(std::slice::from_ref(node));
        items.iter().filter_map(|item| text_of(item, key, self.found)).collect()
    }

    /// `true` or `false`.
    pub fn boolean(&mut self, key: &'static str) -> Option<bool> {
        let node = self.node(key)?;
        boolean_of(node, key, self.found)
    }

    /// A whole number.
    pub fn integer(&mut self, key: &'static str) -> Option<i64> {
        let node = self.node(key)?;
        integer_of(node, key, self.found)
    }

    /// A number of things: a whole number from 0.
    pub fn count(&mut self, key: &'static str) -> Option<u32> {
        let node = self.node(key)?;
        count_of(node, key, self.found)
    }

    /// A list.
    pub fn list(&mut self, key: &'static str) -> Option<&'n [Node]> {
        let node = self.node(key)?;
        let items = node.list();
        if items.is_none() {
            wrong_type(node, &format!("`{key}` is a list"), self.found);
        }
        items
    }

    /// A map.
    pub fn map(&mut self, key: &'static str) -> Option<&'n Map> {
        let node = self.node(key)?;
        let map = node.map();
        if map.is_none() {
            wrong_type(node, &format!("`{key}` is a map"), self.found);
        }
        map
    }

    /// Reports that `key` is missing.
    pub fn missing(&mut self, key: &str) {
        let finding = Diagnostic::error(Code::MissingKey, format!("{} needs `{key}`", self.what))
            .at(self.span, format!("`{key}` is missing here"))
            .help(format!("add `{key}: …`"));
        self.found.push(finding);
    }

    /// Reports each key that no accessor asked for.
    pub fn finish(mut self) {
        if self.map.entries.iter().all(|(key, _)| self.known.contains(&&*key.text)) {
            return;
        }
        let mut seen = BTreeSet::new();
        self.known.retain(|key| seen.insert(*key));
        for (key, _) in &self.map.entries {
            if !self.known.contains(&&*key.text) {
                unknown_key(key, self.what, &self.known, self.found);
            }
        }
    }
}

/// Reports a key that has no meaning in `what`.
pub fn unknown_key(key: &Key, what: &str, known: &[&str], found: &mut Diagnostics) {
    found.push(no_such_key(key, what, known));
}

/// The finding about a key that has no meaning in `what`.
pub fn no_such_key(key: &Key, what: &str, known: &[&str]) -> Diagnostic {
    Diagnostic::error(Code::UnknownKey, format!("{what} has no key `{}`", key.text))
        .at(key.span, "not known here")
        .offer(&key.text, "known keys", known.iter().copied())
}

/// The values of an enum, each with its name.
pub fn named<T: VariantArray + Copy + Into<&'static str>>() -> Vec<(T, &'static str)> {
    T::VARIANTS.iter().map(|value| (*value, (*value).into())).collect()
}

/// The value that a word stands for among a few known ones.
///
/// # Errors
/// The finding about a word that stands for none.
pub fn one_of<T: Copy>(name: &str, span: Span, known: &[(T, &str)]) -> Result<T, Box<Diagnostic>> {
    if let Some((value, _)) = known.iter().find(|(_, word)| *word == name) {
        return Ok(*value);
    }
    let finding = Diagnostic::error(Code::UnknownValue, format!("`{name}` is not known here"))
        .at(span, "not known")
        .offer(name, "one of", known.iter().map(|(_, word)| *word));
    Err(Box::new(finding))
}

/// Reports that `node` is not what `expected` says.
pub fn wrong_type(node: &Node, expected: &str, found: &mut Diagnostics) {
    Diagnostic::error(Code::WrongType, format!("{expected}, but this is {}", node.kind()))
        .at(node.span, format!("this is {}", node.kind()))
        .help("change the value, or its indentation where it belongs elsewhere")
        .add_to(found);
}

/// The text of a scalar, or a finding.
pub fn text_of<'n>(node: &'n Node, what: &str, found: &mut Diagnostics) -> Option<&'n str> {
    let text = node.text();
    if text.is_none() {
        wrong_type(node, &format!("`{what}` is a text"), found);
    }
    text
}

/// A boolean, or a finding.
pub fn boolean_of(node: &Node, what: &str, found: &mut Diagnostics) -> Option<bool> {
    if let Some(Atom::Bool(value)) = node.atom() {
        return Some(value);
    }
    wrong_type(node, &format!("`{what}` is `true` or `false`"), found);
    None
}

/// A whole number, or a finding.
pub fn integer_of(node: &Node, what: &str, found: &mut Diagnostics) -> Option<i64> {
    if let Some(Atom::Int(value)) = node.atom() {
        return Some(value);
    }
    wrong_type(node, &format!("`{what}` is a whole number"), found);
    None
}

/// A whole number from 0, or a finding.
pub fn count_of(node: &Node, what: &str, found: &mut Diagnostics) -> Option<u32> {
    let value = integer_of(node, what, found)?;
    u32::try_from(value).ok().or_else(|| {
        Diagnostic::error(Code::WrongType, format!("`{what}` is a number of things, so {value} cannot be"))
            .at(node.span, "out of range")
            .help("give a whole number from 0 to 4294967295")
            .refuse(found)
    })
}

/// A number as a float, or a finding.
pub fn number_of(node: &Node, what: &str, found: &mut Diagnostics) -> Option<f64> {
    match node.atom() {
        #[expect(clippy::cast_precision_loss, reason = "numbers in documents are small")]
        Some(Atom::Int(value)) => Some(value as f64),
        Some(Atom::Float(value)) => Some(value),
        _ => {
            wrong_type(node, &format!("`{what}` is a number"), found);
            None
        }
    }
}
