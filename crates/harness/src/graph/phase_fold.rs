//! Folds a diagram so that each phase is one node.

use super::graph_edge::{EdgeLabel, GraphEdge};
use super::graph_node::{GraphNode, GraphNodeKind};
use super::machine_graph::{GroupKind, MachineGraph};

impl MachineGraph {
    /// The same graph with a single node for all states of a phase. States without a phase are kept.
    pub fn folded(&self) -> Self {
        let mut folded = Self {
            nodes: Vec::new(),
            edges: Vec::new(),
            shared: Vec::new(),
            ..self.clone()
        };
        let mut places = Vec::with_capacity(self.nodes.len());
        for node in &self.nodes {
            let group = self
                .groups
                .get(node.group)
                .filter(|group| group.kind == GroupKind::Phase);
            let Some(group) = group else {
                places.push(folded.nodes.len());
                folded.nodes.push(node.clone());
                continue;
            };
            let known =
                |other: &GraphNode| other.kind == GraphNodeKind::Phase && other.group == node.group;
            let place = folded.nodes.iter().position(known).unwrap_or_else(|| {
                folded.nodes.push(GraphNode {
                    name: group.name.clone(),
                    group: node.group,
                    kind: GraphNodeKind::Phase,
                    ..GraphNode::default()
                });
                folded.nodes.len() - 1
            });
            if let Some(phase) = folded.nodes.get_mut(place) {
                phase.unreached = node.unreached && (phase.members.is_empty() || phase.unreached);
                phase.members.push(node.name.clone());
                phase.initial |= node.initial;
                phase.is_final |= node.is_final;
            }
            places.push(place);
        }
        let place = |node: usize| places.get(node).copied().unwrap_or_default();
        for edge in &self.edges {
            folded.bundle(place(edge.from), place(edge.to), edge.labels.clone());
        }
        folded.edges.retain(|edge| edge.from != edge.to);
        for one in &self.shared {
            let mut from: Vec<usize> = one.from.iter().map(|node| place(*node)).collect();
            from.sort_unstable();
            from.dedup();
            let mut one = one.clone();
            one.to = place(one.to);
            one.from = from;
            folded.shared.push(one);
        }
        folded
    }

    /// Adds transitions between two nodes to those that already exist.
    pub(super) fn bundle(&mut self, from: usize, to: usize, labels: Vec<EdgeLabel>) {
        let at = self
            .edges
            .iter()
            .position(|edge| (edge.from, edge.to) == (from, to))
            .unwrap_or_else(|| {
                self.edges.push(GraphEdge {
                    from,
                    to,
                    labels: Vec::new(),
                });
                self.edges.len() - 1
            });
        let Some(edge) = self.edges.get_mut(at) else {
            return;
        };
        for label in labels {
            label.add_to(&mut edge.labels);
        }
    }
}
