//! Finds transitions that nearly every state has, states to which nearly every state leads, and asides that several
//! states enter. They are shown as a note at the target state instead of as edges.

use std::collections::BTreeMap;

use indexmap::{IndexMap, IndexSet};

use super::graph_edge::{EdgeKind, EdgeLabel, SharedEdge};
use super::graph_node::GraphNodeKind;
use crate::graph::MachineGraph;

/// The minimum number of states that must have a transition for it to be shared.
const MIN_STATES: usize = 4;
/// The minimum percentage of states that must have a transition for it to be shared.
const NEARLY_ALL: usize = 60;
/// The minimum number of states that must enter an aside for these transitions to be shared.
const MIN_DIGRESSIONS: usize = 2;

/// A transition of a single state, before transitions are combined.
pub(super) struct LooseEdge {
    pub from: usize,
    pub to: usize,
    pub label: EdgeLabel,
}

/// The properties that transitions of different states must have in common.
type Kind = (usize, String, String, EdgeKind);

fn kind_of(edge: &LooseEdge) -> Kind {
    (
        edge.to,
        edge.label.trigger.clone(),
        edge.label.condition.clone(),
        edge.label.kind,
    )
}

/// Removes the transitions to share from `edges`, and returns them.
pub(super) fn take_shared(graph: &MachineGraph, edges: &mut Vec<LooseEdge>) -> Vec<SharedEdge> {
    let able: IndexSet<usize> = edges.iter().map(|edge| edge.from).collect();
    let is_place = |from: usize| {
        graph
            .nodes
            .get(from)
            .is_some_and(|node| node.kind == GraphNodeKind::Simple && !node.is_final)
    };
    let of = able.iter().filter(|from| is_place(**from)).count();
    let enough = (of * NEARLY_ALL).div_ceil(100).max(MIN_STATES);
    let mut sources: IndexMap<Kind, IndexSet<usize>> = IndexMap::new();
    let drawn = |edge: &&LooseEdge| is_place(edge.from) && !edge.label.is_built_in;
    for edge in edges.iter().filter(drawn) {
        sources.entry(kind_of(edge)).or_default().insert(edge.from);
    }
    sources.retain(|_, from| from.len() >= enough);
    // If nearly every state leads to a state, by whatever transition, these edges are not drawn either.
    let is_aside = |to: usize| graph.nodes.get(to).is_some_and(|node| node.aside);
    let enters = |edge: &&LooseEdge| {
        edge.from != edge.to && (!is_aside(edge.to) || edge.label.kind == EdgeKind::Digress)
    };
    let mut entered_from: IndexMap<usize, IndexSet<usize>> = IndexMap::new();
    for edge in edges.iter().filter(drawn).filter(enters) {
        entered_from.entry(edge.to).or_default().insert(edge.from);
    }
    entered_from.retain(|to, from| {
        let least = if is_aside(*to) {
            MIN_DIGRESSIONS
        } else {
            enough
        };
        from.len() >= least
    });
    let mut shared: BTreeMap<usize, SharedEdge> = BTreeMap::new();
    edges.retain(|edge| {
        if edge.label.is_built_in {
            return true;
        }
        let alike = sources.get(&kind_of(edge));
        let all = entered_from.get(&edge.to).filter(|_| edge.from != edge.to);
        if !alike
            .into_iter()
            .chain(all)
            .any(|from| from.contains(&edge.from))
        {
            return true;
        }
        let one = shared.entry(edge.to).or_insert_with(|| SharedEdge {
            to: edge.to,
            from: Vec::new(),
            of,
            labels: Vec::new(),
        });
        edge.label.clone().add_to(&mut one.labels);
        one.from.push(edge.from);
        false
    });
    let mut shared: Vec<SharedEdge> = shared.into_values().collect();
    for one in &mut shared {
        one.from.sort_unstable();
        one.from.dedup();
    }
    shared
}
