//! Layers of constants: built-in constants, constants of the configuration root, and constants of the flow.

use crate::dialect::NameTable;
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Diagnostics};
use fsmsim_syntax::document::{Atom, Key, Node, integer_of, text_of, texts_of};

/// The names of a list, or a single name. Any name in constants defines an intent, so a comma needs its own check.
pub(super) fn names_of<'n>(node: &'n Node, what: &str, found: &mut Diagnostics) -> Vec<&'n str> {
    for item in node.items() {
        if let Some((name, _)) = item.text().and_then(|text| text.split_once(',')) {
            Diagnostic::warning(
                Code::WrongType,
                format!("expected one name in `{what}`, found a list in a string"),
            )
            .at(item.span, "one string")
            .help(format!("write a list: `[{name}, …]`"))
            .add_to(found);
        }
    }
    texts_of(node, what, found)
}

/// Layered maps in descending precedence. Maps merge key by key; other values replace the values of lower layers.
#[derive(Clone, Debug, Default)]
pub(super) struct Layers<'a> {
    layers: Vec<&'a Node>,
}

impl<'a> Layers<'a> {
    /// The layers, in descending precedence.
    pub(super) fn new(layers: impl IntoIterator<Item = &'a Node>) -> Self {
        Self {
            layers: layers.into_iter().collect(),
        }
    }

    /// The layers of the map at a dotted path, such as `a.b`. A value that is not a map hides the lower layers.
    pub(super) fn section(&self, path: &str) -> Self {
        let layers = path.split('.').fold(self.layers.clone(), |layers, key| {
            layers
                .into_iter()
                .filter_map(|layer| layer.get(key))
                .take_while(|node| node.map().is_some())
                .collect()
        });
        Self { layers }
    }

    /// The layers of the map under `key`. A value that is not a map is ignored.
    pub(super) fn maps(&self, key: &str) -> Self {
        Self {
            layers: self
                .all(key)
                .into_iter()
                .filter(|node| node.map().is_some())
                .collect(),
        }
    }

    /// The values of `key` in all layers, in descending precedence.
    pub(super) fn all(&self, key: &str) -> Vec<&'a Node> {
        self.layers
            .iter()
            .filter_map(|layer| layer.get(key))
            .collect()
    }

    /// The first value of `key` that is not null.
    pub(super) fn given(&self, key: &str) -> Option<&'a Node> {
        self.all(key).into_iter().find(|node| !node.is_null())
    }

    /// The first value of `key`.
    pub(super) fn get(&self, key: &str) -> Option<&'a Node> {
        self.layers.iter().find_map(|layer| layer.get(key))
    }

    /// The merged entries of all layers. Keys of the lowest layer come first, in its order.
    pub(super) fn entries(&self) -> Vec<(&'a Key, &'a Node)> {
        let mut merged: NameTable<'_, (&Key, &Node)> = NameTable::default();
        for layer in self.layers.iter().rev() {
            for (key, value) in layer.entries() {
                merged.insert(&key.text, (key, value));
            }
        }
        merged.into_values().collect()
    }

    /// The layer with the highest precedence.
    pub(super) fn strongest(&self) -> Self {
        Self {
            layers: self.layers.first().copied().into_iter().collect(),
        }
    }

    /// The integer under `key`, or `default` if the key is missing. Reports other values.
    pub(super) fn integer(&self, key: &str, default: i64, found: &mut Diagnostics) -> i64 {
        self.get(key)
            .and_then(|node| integer_of(node, key, found))
            .unwrap_or(default)
    }

    /// The string under `key`. Reports other values.
    pub(super) fn text(&self, key: &str, found: &mut Diagnostics) -> Option<&'a str> {
        self.get(key).and_then(|node| text_of(node, key, found))
    }

    /// The strings under `key`: a list or a single string. Reports other items.
    pub(super) fn texts(&self, key: &str, found: &mut Diagnostics) -> Vec<&'a str> {
        self.get(key)
            .map_or_else(Vec::new, |node| names_of(node, key, found))
    }

    /// The boolean under `key`, or `default` if the key is missing or has another type.
    pub(super) fn is_true(&self, key: &str, default: bool) -> bool {
        match self.get(key).and_then(Node::atom) {
            Some(Atom::Bool(value)) => value,
            Some(Atom::Null) => false,
            _ => default,
        }
    }
}
