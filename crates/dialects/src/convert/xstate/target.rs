//! What the name of a target stands for.

use std::collections::BTreeMap;

use crate::convert::chart::{Chart, NodeId};

/// The states of a machine that have a name of their own.
#[derive(Debug, Default)]
pub(super) struct TargetNames {
    ids: BTreeMap<String, NodeId>,
}

impl TargetNames {
    /// Gives a state a name of its own. The first state that has it keeps it.
    pub(super) fn name(&mut self, id: &str, node: NodeId) {
        self.ids.entry(id.to_owned()).or_insert(node);
    }

    /// The state that `target` names in an edge of the state `from`: `#ID`, `#ID.path`, `.path` inside it, or a path beside it.
    pub(super) fn resolve(&self, chart: &Chart, from: NodeId, target: &str) -> Option<NodeId> {
        if let Some(id) = target.strip_prefix('#') {
            if let Some(node) = self.ids.get(id) {
                return Some(*node);
            }
            // An identifier may have dots of its own: the longest one counts.
            let cuts = id.char_indices().rev().filter(|(_, letter)| *letter == '.');
            let mut known = cuts
                .filter_map(|(cut, _)| Some((*self.ids.get(id.get(..cut)?)?, id.get(cut + 1..)?)));
            return known.find_map(|(node, path)| Self::inside(chart, node, path));
        }
        if let Some(path) = target.strip_prefix('.') {
            return Self::inside(chart, from, path);
        }
        let around = chart[from].parent.unwrap_or(Chart::ROOT);
        Self::inside(chart, around, target)
    }

    /// The state at the end of a path. A dot behind a backslash belongs to the name.
    pub(super) fn inside(chart: &Chart, from: NodeId, path: &str) -> Option<NodeId> {
        if let Some(node) = chart.child(from, path) {
            return Some(node);
        }
        let mut names = vec![String::new()];
        let mut letters = path.chars();
        while let Some(letter) = letters.next() {
            match (letter, names.last_mut()) {
                ('.', _) => names.push(String::new()),
                ('\\', Some(name)) => name.extend(letters.next()),
                (other, Some(name)) => name.push(other),
                (_, None) => {}
            }
        }
        names
            .iter()
            .try_fold(from, |node, name| chart.child(node, name))
    }
}
