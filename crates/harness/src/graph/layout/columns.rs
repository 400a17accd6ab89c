//! Assigns a column to each node.

use std::collections::{BTreeMap, BTreeSet};

use crate::graph::{EdgeKind, GraphEdge, MachineGraph};

/// The column of each node. Groups follow each other in the direction of the diagram, and in each group, nodes come
/// after their predecessors. A cycle is cut at the edge to whichever of its nodes is defined first, so that adding or
/// removing an edge changes little.
pub(super) fn columns(graph: &MachineGraph) -> Vec<usize> {
    if !graph.edges.iter().any(GraphEdge::is_drawn) && graph.groups.len() <= 1 {
        return grid(graph.nodes.len());
    }
    let mut columns = vec![0; graph.nodes.len()];
    let mut first = 0;
    for group in 0..graph.groups.len() {
        let nodes: Vec<usize> = (0..graph.nodes.len())
            .filter(|node| {
                graph
                    .nodes
                    .get(*node)
                    .is_some_and(|node| node.group == group)
            })
            .collect();
        let ranks = ranks(graph, &nodes);
        let mut end = first;
        for (node, rank) in ranks {
            if let Some(column) = columns.get_mut(node) {
                *column = first + rank;
            }
            end = end.max(first + rank + 1);
        }
        first = end;
    }
    columns
}

/// Arranges nodes without edges in a square.
fn grid(count: usize) -> Vec<usize> {
    let side = (1..=count).find(|side| side * side >= count).unwrap_or(1);
    (0..count).map(|number| number / side).collect()
}

/// Pairs of nodes that must be in this order. Edges that lead back are reversed.
fn order_of(graph: &MachineGraph, nodes: &BTreeSet<usize>) -> Vec<(usize, usize)> {
    let inside = graph
        .edges
        .iter()
        .filter(|edge| edge.is_drawn())
        .filter(|edge| nodes.contains(&edge.from) && nodes.contains(&edge.to));
    inside
        .map(|edge| match edge.kind() {
            EdgeKind::Back | EdgeKind::Replan => (edge.to, edge.from),
            _ => (edge.from, edge.to),
        })
        .collect()
}

fn ranks(graph: &MachineGraph, nodes: &[usize]) -> BTreeMap<usize, usize> {
    let inside: BTreeSet<usize> = nodes.iter().copied().collect();
    let edges = order_of(graph, &inside);
    let mut next: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (from, to) in &edges {
        next.entry(*from).or_default().push(*to);
    }
    let reach: BTreeMap<usize, BTreeSet<usize>> = nodes
        .iter()
        .map(|node| (*node, reached(*node, &next)))
        .collect();
    let reaches = |from: usize, to: usize| {
        reach
            .get(&from)
            .is_some_and(|reached| reached.contains(&to))
    };
    let is_initial = |node: usize| graph.nodes.get(node).is_some_and(|node| node.initial);
    let key = |node: usize| (!is_initial(node), node);
    let forward: Vec<(usize, usize)> = edges
        .into_iter()
        .map(|(from, to)| {
            if reaches(to, from) && key(from) > key(to) {
                (to, from)
            } else {
                (from, to)
            }
        })
        .collect();
    let mut ranks: BTreeMap<usize, usize> = nodes.iter().map(|node| (*node, 0)).collect();
    // In the absence of cycles, no path is longer than the number of nodes.
    for _ in 0..nodes.len() {
        let mut moved = false;
        for (from, to) in &forward {
            let least = ranks.get(from).copied().unwrap_or_default() + 1;
            if let Some(rank) = ranks.get_mut(to).filter(|rank| **rank < least) {
                *rank = least;
                moved = true;
            }
        }
        if !moved {
            break;
        }
    }
    // A node without predecessors in its group is placed next to its successors.
    for node in nodes {
        let follows = forward.iter().any(|(_, to)| to == node);
        let after = forward.iter().filter(|(from, _)| from == node);
        let nearest = after.filter_map(|(_, to)| ranks.get(to)).min().copied();
        if let (false, false, Some(nearest)) = (follows, is_initial(*node), nearest) {
            ranks.insert(*node, nearest.saturating_sub(1));
        }
    }
    ranks
}

fn reached(from: usize, next: &BTreeMap<usize, Vec<usize>>) -> BTreeSet<usize> {
    let mut seen = BTreeSet::new();
    let mut open = vec![from];
    while let Some(node) = open.pop() {
        for to in next.get(&node).into_iter().flatten() {
            if seen.insert(*to) {
                open.push(*to);
            }
        }
    }
    seen
}
