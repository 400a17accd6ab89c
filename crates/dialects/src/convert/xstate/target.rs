//! Resolves the targets of edges.

use std::collections::BTreeMap;

use crate::convert::statechart::{NodeId, Statechart};

/// The states with an ID.
#[derive(Debug, Default)]
pub(super) struct TargetNames {
    ids: BTreeMap<String, NodeId>,
}

impl TargetNames {
    /// Assigns an ID to a state. If two states have the same ID, the first one keeps it.
    pub(super) fn name(&mut self, id: &str, node: NodeId) {
        self.ids.entry(id.to_owned()).or_insert(node);
    }

    /// Resolves the target of an edge from the state `from`: `#ID`, `#ID.path`, `.path` inside the state, or the path
    /// of a sibling.
    pub(super) fn resolve(&self, chart: &Statechart, from: NodeId, target: &str) -> Option<NodeId> {
        if let Some(id) = target.strip_prefix('#') {
            if let Some(node) = self.ids.get(id) {
                return Some(*node);
            }
            // An ID can contain dots, so try the longest ID first.
            return id
                .char_indices()
                .rev()
                .filter(|(_, c)| *c == '.')
                .filter_map(|(cut, _)| Some((*self.ids.get(id.get(..cut)?)?, id.get(cut + 1..)?)))
                .find_map(|(node, path)| Self::inside(chart, node, path));
        }
        if let Some(path) = target.strip_prefix('.') {
            return Self::inside(chart, from, path);
        }
        let around = chart[from].parent.unwrap_or(Statechart::ROOT);
        Self::inside(chart, around, target)
    }

    /// The state at the end of a path. A dot after a backslash belongs to a name.
    pub(super) fn inside(chart: &Statechart, from: NodeId, path: &str) -> Option<NodeId> {
        if let Some(node) = chart.child(from, path) {
            return Some(node);
        }
        let mut names = vec![String::new()];
        let mut characters = path.chars();
        while let Some(c) = characters.next() {
            match (c, names.last_mut()) {
                ('.', _) => names.push(String::new()),
                ('\\', Some(name)) => name.extend(characters.next()),
                (other, Some(name)) => name.push(other),
                (_, None) => {}
            }
        }
        names
            .iter()
            .try_fold(from, |node, name| chart.child(node, name))
    }
}
