//! A layered layout: columns from left to right, things in them ordered so that few edges cross, labels in ranks of their
//! own so that none lies on another.

mod columns;
mod heights;
mod order;
mod ranks;
mod route;
mod text_size;
mod texts;

use self::ranks::{RankedItem, Ranks};
use self::texts::{NAME_LINE, SMALL_LINE, edge_label, group_name, lines_of, node_box, width_below};
use super::graph_layout::{GraphLayout, PlacedEdge, PlacedGroup, PlacedNode};
use super::graph_node::GraphNodeKind;
use super::machine_graph::{GroupKind, MachineGraph};

/// Around everything.
const MARGIN: f64 = 20.0;
/// Beside nodes.
const PAD: f64 = 16.0;
/// Between columns that no edge joins.
const EMPTY_GAP: f64 = 28.0;
/// Beside labels, where edges bend.
const BEND: f64 = 22.0;
/// Before the first column, for the dot where dialogues begin.
const BEGINNING: f64 = 34.0;

impl GraphLayout {
    /// Lays a picture out.
    pub fn of(graph: &MachineGraph) -> Self {
        let columns = columns::columns(graph);
        let mut nodes: Vec<PlacedNode> = graph
            .nodes
            .iter()
            .enumerate()
            .map(|(number, node)| PlacedNode {
                column: columns.get(number).copied().unwrap_or_default(),
                ..node_box(graph, number, node)
            })
            .collect();
        let mut ranks = Ranks::default();
        for (number, (node, placed)) in graph.nodes.iter().zip(&nodes).enumerate() {
            ranks.push(node_item(number, node.kind, placed));
        }
        let chains = chains(graph, &columns, &mut ranks);
        order::order(&mut ranks);
        heights::heights(&mut ranks);
        let edges: Vec<PlacedEdge> = chains.iter().map(|chain| chain.placed.clone()).collect();
        let spans = across(&ranks);
        let head = if graph
            .groups
            .iter()
            .any(|group| group.kind == GroupKind::Phase)
        {
            44.0
        } else {
            0.0
        };
        let top = ranks
            .items
            .iter()
            .map(|item| item.y - item.above)
            .fold(f64::INFINITY, f64::min);
        let shift = MARGIN + head - if top.is_finite() { top } else { 0.0 };
        for item in &mut ranks.items {
            item.y += shift;
        }
        for (item, placed) in ranks.items.iter().zip(&mut nodes) {
            placed.y = item.y;
            placed.x = spans
                .get(item.rank)
                .map_or(0.0, |(left, right)| f64::midpoint(*left, *right));
            if let Some(port) = &mut placed.port {
                port.x = placed.x;
                port.y = placed.y - placed.height / 2.0 - port.height - 14.0;
            }
        }
        let bottom = ranks
            .items
            .iter()
            .map(|item| item.y + item.below)
            .fold(0.0, f64::max);
        let right = spans.last().map_or(0.0, |(_, right)| *right);
        let mut layout = Self {
            width: right + MARGIN,
            height: bottom + MARGIN,
            groups: groups(graph, &nodes, &spans),
            nodes,
            edges,
        };
        route::route(graph, &chains, &ranks, &spans, &mut layout);
        layout
    }
}

/// An edge as a row of items from left to right.
struct EdgeChain {
    items: Vec<usize>,
    /// Which of them bears the label.
    labelled: usize,
    placed: PlacedEdge,
}

fn node_item(number: usize, kind: GraphNodeKind, placed: &PlacedNode) -> RankedItem {
    let named_below = !matches!(kind, GraphNodeKind::Simple | GraphNodeKind::Phase);
    let lines = lines_of(placed.name.len(), NAME_LINE)
        + lines_of(placed.slots.len() + placed.loops.len(), SMALL_LINE);
    let text = if named_below { lines + 4.0 } else { 0.0 };
    let below_width = if named_below {
        width_below(placed)
    } else {
        0.0
    };
    let port = placed.port.as_ref();
    let above = port.map_or(0.0, |port| port.height + 18.0);
    RankedItem {
        node: Some(number),
        rank: placed.column * 2,
        width: placed
            .width
            .max(below_width)
            .max(port.map_or(0.0, |port| port.width)),
        above: placed.height / 2.0 + above,
        below: placed.height / 2.0 + text,
        ..RankedItem::default()
    }
}

/// Makes an item of each edge in each rank that it runs through.
fn chains(graph: &MachineGraph, columns: &[usize], ranks: &mut Ranks) -> Vec<EdgeChain> {
    let column = |node: usize| columns.get(node).copied().unwrap_or_default();
    let mut chains = Vec::new();
    for (number, edge) in graph
        .edges
        .iter()
        .enumerate()
        .filter(|(_, edge)| edge.from != edge.to)
    {
        let (from, to) = (column(edge.from), column(edge.to));
        let backward = from > to;
        let (left, right) = if backward {
            (edge.to, edge.from)
        } else {
            (edge.from, edge.to)
        };
        let (first, last) = (from.min(to) * 2 + 1, (from.max(to) * 2).saturating_sub(1));
        let bears = if backward { last } else { first };
        let label = edge_label(&edge.labels);
        let mut items = vec![left];
        for rank in first..=last {
            let (width, half) = if rank == bears {
                (label.width, label.height / 2.0)
            } else {
                (0.0, 3.0)
            };
            let item = RankedItem {
                node: None,
                rank,
                backward,
                width,
                above: half,
                below: half,
                ..RankedItem::default()
            };
            let item = ranks.push(item);
            if let Some(before) = items.last() {
                ranks.link(*before, item);
            }
            items.push(item);
        }
        if let Some(before) = items.last() {
            ranks.link(*before, right);
        }
        items.push(right);
        let labelled = bears - first + 1;
        let placed = PlacedEdge {
            edge: number,
            label,
            backward,
            ..PlacedEdge::default()
        };
        chains.push(EdgeChain {
            items,
            labelled,
            placed,
        });
    }
    chains
}

/// From where to where each rank reaches.
fn across(ranks: &Ranks) -> Vec<(f64, f64)> {
    let mut x = MARGIN + BEGINNING - PAD;
    let mut spans = Vec::new();
    for (number, rank) in ranks.order.iter().enumerate() {
        let widest = rank
            .iter()
            .filter_map(|item| ranks.items.get(*item))
            .map(|item| item.width)
            .fold(0.0, f64::max);
        let width = match number % 2 {
            0 => widest + PAD * 2.0,
            _ if rank.is_empty() => EMPTY_GAP,
            _ => widest + BEND * 2.0,
        };
        spans.push((x, x + width));
        x += width;
    }
    spans
}

/// Where the phases stand.
fn groups(graph: &MachineGraph, nodes: &[PlacedNode], spans: &[(f64, f64)]) -> Vec<PlacedGroup> {
    let phases = graph
        .groups
        .iter()
        .enumerate()
        .filter(|(_, group)| group.kind == GroupKind::Phase);
    phases
        .filter_map(|(number, group)| {
            let inside = graph
                .nodes
                .iter()
                .zip(nodes)
                .filter(|(node, _)| node.group == number);
            let columns: Vec<usize> = inside.map(|(_, placed)| placed.column).collect();
            let (left, _) = spans.get(columns.iter().min()? * 2)?;
            let (_, right) = spans.get(columns.iter().max()? * 2)?;
            let (x, width) = (left - 4.0, right - left + 8.0);
            Some(PlacedGroup {
                group: number,
                x,
                width,
                name: group_name(&group.name, width - 12.0),
            })
        })
        .collect()
}
