//! Typed access to the keys of a map. It reports findings with their locations and detects unknown keys.

use std::collections::BTreeSet;

use smallvec::SmallVec;
use strum::VariantArray;

use super::node::{Atom, Content, Key, Map, Node};
use super::unknown_keys::unknown_key;
use super::yaml_typos as typos;
use crate::diagnostic::{Checked, Code, Diagnostic, Diagnostics, Span};
use crate::shapes::Shape;

/// A map being read. [`Fields::finish`] reports the keys that its format does not declare.
pub struct Fields<'n, 'd> {
    map: &'n Map,
    span: Span,
    what: &'static str,
    /// The declaration of the map. If it is `None`, the known keys are those requested from accessors.
    shape: Option<&'static Shape>,
    /// The keys requested from accessors, if there is no shape. The list can contain duplicates.
    known: SmallVec<[&'static str; 24]>,
    /// The first bytes of the keys of the map as a bit mask. The mask quickly rejects most absent keys.
    first_bytes: u64,
    found: &'d mut Diagnostics,
}

impl<'n, 'd> Fields<'n, 'd> {
    /// Opens `node` as a map of a format. Returns `None`, with a finding, if it is not a map.
    pub fn of(node: &'n Node, shape: &'static Shape, found: &'d mut Diagnostics) -> Option<Self> {
        Self::begin(node, shape.what, Some(shape), found)
    }

    /// Opens `node` as a map that no shape declares: a file of another tool, or a map whose keys depend on each other.
    /// `what` is a noun for findings, such as "a turn".
    pub fn open(node: &'n Node, what: &'static str, found: &'d mut Diagnostics) -> Option<Self> {
        Self::begin(node, what, None, found)
    }

    fn begin(
        node: &'n Node,
        what: &'static str,
        shape: Option<&'static Shape>,
        found: &'d mut Diagnostics,
    ) -> Option<Self> {
        match &node.content {
            Content::Map(map) => {
                let first_bytes = map.keys().fold(0, |all, key| all | first_byte_bit(key));
                Some(Self {
                    map,
                    span: node.span,
                    what,
                    shape,
                    known: SmallVec::new(),
                    first_bytes,
                    found,
                })
            }
            _ => {
                mismatch(node, what, "a map", found);
                None
            }
        }
    }

    pub fn span(&self) -> Span {
        self.span
    }

    /// The findings, for checks that the accessors do not perform.
    pub fn found(&mut self) -> &mut Diagnostics {
        self.found
    }

    /// The value of `key`. Null counts as absent.
    pub fn node(&mut self, key: &'static str) -> Option<&'n Node> {
        self.raw(key).filter(|node| !node.is_null())
    }

    /// The values of several keys. Null counts as absent.
    pub fn nodes<const N: usize>(&mut self, keys: [&'static str; N]) -> [Option<&'n Node>; N] {
        keys.map(|key| self.node(key))
    }

    /// The value of `key`. Reports a finding if it is missing.
    pub fn required(&mut self, key: &'static str) -> Option<&'n Node> {
        let node = self.node(key);
        if node.is_none() {
            self.missing(key);
        }
        node
    }

    /// The value of `key`, which can be null.
    pub fn raw(&mut self, key: &'static str) -> Option<&'n Node> {
        match self.shape {
            Some(shape) => debug_assert!(
                shape.key(key).is_some(),
                "`{}` declares no `{key}`",
                shape.name
            ),
            None => self.known.push(key),
        }
        if self.first_bytes & first_byte_bit(key) == 0 {
            None
        } else {
            self.map.get(key)
        }
    }

    pub fn text(&mut self, key: &'static str) -> Option<&'n str> {
        text_of(self.node(key)?, key, self.found)
    }

    /// The string value of `key`. Reports a finding if it is missing.
    pub fn required_text(&mut self, key: &'static str) -> Option<&'n str> {
        text_of(self.required(key)?, key, self.found)
    }

    /// A list of strings. A single string counts as a list of one.
    pub fn texts(&mut self, key: &'static str) -> Vec<&'n str> {
        self.node(key)
            .map_or_else(Vec::new, |node| texts_of(node, key, self.found))
    }

    pub fn boolean(&mut self, key: &'static str) -> Option<bool> {
        boolean_of(self.node(key)?, key, self.found)
    }

    pub fn integer(&mut self, key: &'static str) -> Option<i64> {
        integer_of(self.node(key)?, key, self.found)
    }

    /// An integer from 0.
    pub fn count(&mut self, key: &'static str) -> Option<u32> {
        count_of(self.node(key)?, key, self.found)
    }

    pub fn list(&mut self, key: &'static str) -> Option<&'n [Node]> {
        let node = self.node(key)?;
        typed(node.list(), node, key, "a list", self.found)
    }

    pub fn map(&mut self, key: &'static str) -> Option<&'n Map> {
        let node = self.node(key)?;
        typed(node.map(), node, key, "a map", self.found)
    }

    /// The entries of a map; empty if the map is absent.
    pub fn entries(&mut self, key: &'static str) -> &'n [(Key, Node)] {
        self.map(key).map_or(&[], |map| &map.entries)
    }

    /// Reports `key` as missing.
    pub fn missing(&mut self, key: &str) {
        Diagnostic::error(
            Code::MissingKey,
            format!("missing `{key}` in {}", self.what),
        )
        .at(self.span, "incomplete")
        .help(format!("add `{key}: …`"))
        .add_to(self.found);
    }

    /// Reports keys that the shape does not declare. Without a shape, reports keys that were not requested from any
    /// accessor.
    pub fn finish(mut self) {
        if let Some(shape) = self.shape {
            return shape.check(self.map, self.found);
        }
        if self
            .map
            .entries
            .iter()
            .all(|(key, _)| self.known.contains(&&*key.text))
        {
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

/// A bit for the first byte of a key.
fn first_byte_bit(key: &str) -> u64 {
    key.bytes().next().map_or(1, |first| 1 << (first % 64))
}

/// The values of an enum with their names.
pub fn named<T: VariantArray + Copy + Into<&'static str>>() -> Vec<(T, &'static str)> {
    T::VARIANTS
        .iter()
        .map(|value| (*value, (*value).into()))
        .collect()
}

/// The value whose name is `name`, or a finding.
pub fn one_of<T: Copy>(name: &str, span: Span, known: &[(T, &str)]) -> Checked<T> {
    if let Some((value, _)) = known.iter().find(|(_, word)| *word == name) {
        return Ok(*value);
    }
    let words = known.iter().map(|(_, word)| *word);
    Diagnostic::not_among(Code::UnknownValue, "value", name, span, words).fail()
}

/// The enum value whose name is the string of `node`. Adds a finding if no value matches.
pub fn word_of<T: VariantArray + Copy + Into<&'static str>>(
    node: &Node,
    what: &str,
    found: &mut Diagnostics,
) -> Option<T> {
    let name = text_of(node, what, found)?;
    found.take(one_of(name, node.span, &named::<T>()))
}

/// Reports that `node` has a wrong type. `clause` describes the correct one: "a turn is a map".
pub fn wrong_type(node: &Node, clause: &str, found: &mut Diagnostics) {
    let parts = [" is ", " are "]
        .into_iter()
        .find_map(|verb| clause.split_once(verb));
    let (what, expected) = parts.unwrap_or(("the value", clause));
    mismatch(node, what, expected, found);
}

fn mismatch(node: &Node, what: &str, expected: &str, found: &mut Diagnostics) {
    let remedy = node.text().and_then(|text| match text {
        "yes" | "no" | "on" | "off" if expected.contains("`true`") => {
            Some("write `true` or `false`: YAML 1.2 has no other booleans")
        }
        _ if expected.ends_with("a map") => typos::remedy(text, ""),
        _ => None,
    });
    Diagnostic::error(
        Code::WrongType,
        format!("expected {expected} for {what}, found {}", node.kind()),
    )
    .at(node.span, "wrong type")
    .help(remedy.unwrap_or("change the value, or fix its indentation"))
    .add_to(found);
}

/// Puts a key in backticks. A phrase, such as "a step of a path", stays unchanged.
fn quoted(what: &str) -> String {
    if what.contains([' ', '`']) {
        what.to_owned()
    } else {
        format!("`{what}`")
    }
}

/// Returns the value of `node`, or reports that `what` is not `expected`.
fn typed<T>(
    value: Option<T>,
    node: &Node,
    what: &str,
    expected: &str,
    found: &mut Diagnostics,
) -> Option<T> {
    if value.is_none() {
        mismatch(node, &quoted(what), expected, found);
    }
    value
}

/// The entries of a map. Reports a node that is not a map and returns an empty slice.
pub fn entries_of<'n>(node: &'n Node, what: &str, found: &mut Diagnostics) -> &'n [(Key, Node)] {
    typed(node.map(), node, what, "a map", found).map_or(&[], |map| &map.entries)
}

/// The text of a scalar, or a finding.
pub fn text_of<'n>(node: &'n Node, what: &str, found: &mut Diagnostics) -> Option<&'n str> {
    typed(node.text(), node, what, "a string", found)
}

/// The strings of a list. A single string counts as a list of one, and null as an empty list. Reports other values.
pub fn texts_of<'n>(node: &'n Node, what: &str, found: &mut Diagnostics) -> Vec<&'n str> {
    let items = if node.is_null() { &[] } else { node.items() };
    items
        .iter()
        .filter_map(|item| match item.text() {
            None if node.list().is_some() => {
                text_of(item, &format!("an item of {}", quoted(what)), found)
            }
            _ => text_of(item, what, found),
        })
        .collect()
}

/// A boolean, or a finding.
pub fn boolean_of(node: &Node, what: &str, found: &mut Diagnostics) -> Option<bool> {
    typed(node.boolean(), node, what, "`true` or `false`", found)
}

/// An integer, or a finding.
pub fn integer_of(node: &Node, what: &str, found: &mut Diagnostics) -> Option<i64> {
    let value = match node.atom() {
        Some(Atom::Int(value)) => Some(value),
        _ => None,
    };
    typed(value, node, what, "an integer", found)
}

/// An integer from 0, or a finding.
pub fn count_of(node: &Node, what: &str, found: &mut Diagnostics) -> Option<u32> {
    let value = integer_of(node, what, found)?;
    u32::try_from(value).ok().or_else(|| {
        Diagnostic::error(
            Code::WrongType,
            format!(
                "expected an integer from 0 to {} for {}, found {value}",
                u32::MAX,
                quoted(what)
            ),
        )
        .at(node.span, "out of range")
        .help("use a number in this range")
        .refuse(found)
    })
}

/// A finite number as a float, or a finding.
pub fn number_of(node: &Node, what: &str, found: &mut Diagnostics) -> Option<f64> {
    let number = node.number();
    let expected = if number.is_some() {
        "a finite number"
    } else {
        "a number"
    };
    typed(
        number.filter(|number| number.is_finite()),
        node,
        what,
        expected,
        found,
    )
}
