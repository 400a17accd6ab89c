//! Routes edges between nodes.

use std::collections::BTreeMap;

use super::EdgeChain;
use super::ranks::{RankSpan, Ranks};
use crate::graph::{GraphLayout, GraphNodeKind, MachineGraph};

/// The proportion of a node's side at which edges can start or end.
const SIDE: f64 = 0.7;
/// The maximum distance between edges at a node, in pixels.
const APART: f64 = 14.0;
/// The gap before the tip of an arrow.
const TIP: f64 = 1.0;

/// Sets the points and label position of each edge.
pub(super) fn route(
    graph: &MachineGraph,
    chains: &[EdgeChain],
    ranks: &Ranks,
    spans: &[RankSpan],
    layout: &mut GraphLayout,
) {
    let ends = ends(graph, chains, ranks, layout);
    let direction = layout.direction;
    let mut edges = std::mem::take(&mut layout.edges);
    for (number, (chain, edge)) in chains.iter().zip(&mut edges).enumerate() {
        let mut points = Vec::with_capacity(chain.items.len() * 2);
        let inner = chain.items.len().saturating_sub(1);
        for (at, item) in chain.items.iter().enumerate() {
            let Some(item) = ranks.items.get(*item) else {
                continue;
            };
            let Some(span) = spans.get(item.rank) else {
                continue;
            };
            if at == 0 || at == inner {
                let Some(node) = item.node.and_then(|node| layout.nodes.get(node)) else {
                    continue;
                };
                let across = ends.get(&(number, at == 0)).copied().unwrap_or(item.y);
                let (size, _) = direction.turned(node.width, node.height);
                let middle = span.middle();
                let half = size / 2.0 + TIP;
                // The edge stays straight as far as wider nodes in the rank extend.
                points.extend(if at == 0 {
                    [(middle + half, across), (span.end, across)]
                } else {
                    [(span.start, across), (middle - half, across)]
                });
                continue;
            }
            if at == chain.label_index {
                let (x, y) = direction.turned(span.middle(), item.y);
                edge.label.x = x;
                edge.label.y = y - edge.label.height / 2.0;
            }
            points.extend([(span.inner_start, item.y), (span.inner_end, item.y)]);
        }
        edge.points = points
            .into_iter()
            .map(|(along, across)| direction.turned(along, across))
            .collect();
        if edge.backward {
            edge.points.reverse();
        }
    }
    layout.edges = edges;
}

/// The position of each edge at its left node (`true`) and at its right node (`false`). Edges are ordered by their
/// other ends so that they do not cross at the node.
fn ends(
    graph: &MachineGraph,
    chains: &[EdgeChain],
    ranks: &Ranks,
    layout: &GraphLayout,
) -> BTreeMap<(usize, bool), f64> {
    let mut sides: BTreeMap<(usize, bool), Vec<(f64, usize)>> = BTreeMap::new();
    for (number, chain) in chains.iter().enumerate() {
        let mut inward = chain.items.iter();
        let first = inward.next();
        let second = inward.next();
        let mut inward = chain.items.iter().rev();
        let last = inward.next();
        let before = inward.next();
        let height = |item: Option<&usize>| {
            item.and_then(|item| ranks.items.get(*item))
                .map_or(0.0, |item| item.y)
        };
        for (node, neighbor, is_left) in [(first, second, true), (last, before, false)] {
            if let Some(node) = node {
                sides
                    .entry((*node, is_left))
                    .or_default()
                    .push((height(neighbor), number));
            }
        }
    }
    let mut ends = BTreeMap::new();
    for ((node, is_left), mut list) in sides {
        let Some((placed, kind)) = layout
            .nodes
            .get(node)
            .zip(graph.nodes.get(node).map(|node| node.kind))
        else {
            continue;
        };
        list.sort_by(|one, other| one.0.total_cmp(&other.0).then(one.1.cmp(&other.1)));
        #[expect(clippy::cast_precision_loss, reason = "edges at a node are few")]
        let gaps = list.len().saturating_sub(1) as f64;
        let (_, side) = layout.direction.turned(placed.width, placed.height);
        let (_, middle) = layout.direction.turned(placed.x, placed.y);
        let usable = if kind == GraphNodeKind::Choice {
            0.0
        } else {
            side * SIDE
        };
        let apart = if gaps > 0.0 {
            (usable / gaps).min(APART)
        } else {
            0.0
        };
        let mut y = middle - apart * gaps / 2.0;
        for (_, number) in list {
            ends.insert((number, is_left), y);
            y += apart;
        }
    }
    ends
}
