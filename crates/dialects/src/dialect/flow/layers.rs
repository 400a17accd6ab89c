//! Constants in layers: the built-in ones, those of the configuration root, those of the flow.

use crate::dialect::NameTable;
use fsmsim_syntax::diagnostic::Diagnostics;
use fsmsim_syntax::document::{Atom, Key, Node, integer_of, text_of, texts_of};

/// Maps laid over each other, the strongest first. Maps merge key by key; anything else replaces.
#[derive(Clone, Debug, Default)]
pub(super) struct Layers<'a> {
    layers: Vec<&'a Node>,
}

impl<'a> Layers<'a> {
    /// The layers, the strongest first.
    pub(super) fn new(layers: impl IntoIterator<Item = &'a Node>) -> Self {
        Self {
            layers: layers.into_iter().collect(),
        }
    }

    /// The layers of the map at a path of keys, `a.b`. A layer where it is no map hides the weaker ones.
    pub(super) fn section(&self, path: &str) -> Self {
        let layers = path.split('.').fold(self.layers.clone(), |layers, key| {
            let below = layers.into_iter().filter_map(|layer| layer.get(key));
            below.take_while(|node| node.map().is_some()).collect()
        });
        Self { layers }
    }

    /// The layers of the map under `key`. A layer where it is no map hides nothing.
    pub(super) fn maps(&self, key: &str) -> Self {
        Self {
            layers: self
                .all(key)
                .into_iter()
                .filter(|node| node.map().is_some())
                .collect(),
        }
    }

    /// The values under `key` in all layers, the strongest first.
    pub(super) fn all(&self, key: &str) -> Vec<&'a Node> {
        self.layers
            .iter()
            .filter_map(|layer| layer.get(key))
            .collect()
    }

    /// The strongest value under `key` that is not null.
    pub(super) fn given(&self, key: &str) -> Option<&'a Node> {
        self.all(key).into_iter().find(|node| !node.is_null())
    }

    /// The strongest value under `key`.
    pub(super) fn get(&self, key: &str) -> Option<&'a Node> {
        self.layers.iter().find_map(|layer| layer.get(key))
    }

    /// The keys of all layers with their strongest values: those of the weakest layer first, in its order.
    pub(super) fn entries(&self) -> Vec<(&'a Key, &'a Node)> {
        let mut merged: NameTable<'_, (&Key, &Node)> = NameTable::default();
        for layer in self.layers.iter().rev() {
            for (key, value) in layer.entries() {
                merged.insert(&key.text, (key, value));
            }
        }
        merged.into_values().collect()
    }

    /// The strongest layer alone.
    pub(super) fn strongest(&self) -> Self {
        Self {
            layers: self.layers.first().copied().into_iter().collect(),
        }
    }

    /// A whole number, or `default` where there is none; a finding where it is something else.
    pub(super) fn integer(&self, key: &str, default: i64, found: &mut Diagnostics) -> i64 {
        self.get(key)
            .and_then(|node| integer_of(node, key, found))
            .unwrap_or(default)
    }

    /// A text; a finding where it is something else.
    pub(super) fn text(&self, key: &str, found: &mut Diagnostics) -> Option<&'a str> {
        self.get(key).and_then(|node| text_of(node, key, found))
    }

    /// The texts of a list (or one text); findings for what is no text.
    pub(super) fn texts(&self, key: &str, found: &mut Diagnostics) -> Vec<&'a str> {
        self.get(key)
            .map_or_else(Vec::new, |node| texts_of(node, key, found))
    }

    /// Whether the value under `key` is `true`; `default` where there is none.
    pub(super) fn is_true(&self, key: &str, default: bool) -> bool {
        match self.get(key).and_then(Node::atom) {
            Some(Atom::Bool(value)) => value,
            Some(Atom::Null) => false,
            _ => default,
        }
    }
}
