//! A layered layout: columns in the direction of the diagram, items ordered to avoid crossings, and labels in ranks of
//! their own so that they do not overlap. Coordinates are computed *along* and *across* the direction, and converted at
//! the end.

mod columns;
mod heights;
mod order;
mod ranks;
mod route;
mod text_size;
mod texts;

use super::graph_direction::GraphDirection;
use super::graph_layout::{GraphLayout, PlacedEdge, PlacedGroup, PlacedNode};
use super::graph_node::GraphNodeKind;
use super::machine_graph::{GroupKind, MachineGraph};
use ranks::{RankSpan, RankedItem, Ranks};
use texts::{edge_label, group_name, lines_height, node_box, outer_text_width};

/// The margin around the diagram, in pixels.
const MARGIN: f64 = 20.0;
/// The padding around nodes, along the direction of the diagram.
const PAD: f64 = 16.0;
/// The gap between columns that have no edges between them.
const EMPTY_GAP: f64 = 28.0;
/// The minimum and maximum length of a bend in an edge.
const BEND: (f64, f64) = (22.0, 56.0);
/// The space before the first column for the start marker.
const START_GAP: f64 = 34.0;
/// The gap between a shape and the text next to it, in pixels.
const TEXT_GAP: f64 = 18.0;
/// The gap between the edge of the diagram and its phases.
const HEAD: f64 = 6.0;

impl GraphLayout {
    /// Calculates the layout of a diagram.
    pub fn of(graph: &MachineGraph, direction: GraphDirection) -> Self {
        let columns = columns::columns(graph);
        let mut nodes: Vec<PlacedNode> = graph
            .nodes
            .iter()
            .enumerate()
            .map(|(number, node)| PlacedNode {
                column: columns.get(number).copied().unwrap_or_default(),
                ..node_box(graph, number, node, direction)
            })
            .collect();
        let mut ranks = Ranks::default();
        for (number, (node, placed)) in graph.nodes.iter().zip(&nodes).enumerate() {
            ranks.push(node_item(number, node.kind, placed, direction));
        }
        let chains = chains(graph, &columns, direction, &mut ranks);
        order::order(&mut ranks);
        heights::heights(&mut ranks);
        let edges: Vec<PlacedEdge> = chains.iter().map(|chain| chain.placed.clone()).collect();
        let spans = along(&ranks);
        let head = head(graph, direction);
        let first = ranks
            .items
            .iter()
            .map(|item| item.y - item.above)
            .fold(f64::INFINITY, f64::min);
        let shift = MARGIN + head - if first.is_finite() { first } else { 0.0 };
        for item in &mut ranks.items {
            item.y += shift;
        }
        for (item, (node, placed)) in ranks.items.iter().zip(graph.nodes.iter().zip(&mut nodes)) {
            let middle = spans.get(item.rank).map_or(0.0, RankSpan::middle);
            (placed.x, placed.y) = direction.turned(middle, item.y);
            place_texts(node.kind, placed, direction);
        }
        let last = ranks
            .items
            .iter()
            .map(|item| item.y + item.below)
            .fold(0.0, f64::max)
            + MARGIN;
        let end = spans.last().map_or(0.0, |span| span.end) + MARGIN;
        let (width, height) = direction.turned(end, last);
        let mut layout = Self {
            width,
            height,
            direction,
            groups: groups(graph, &nodes, &spans, (direction, last)),
            nodes,
            edges,
        };
        route::route(graph, &chains, &ranks, &spans, &mut layout);
        layout
    }
}

/// An edge as a sequence of items along the direction of the diagram.
struct EdgeChain {
    items: Vec<usize>,
    /// The index of the item that has the label.
    label_index: usize,
    placed: PlacedEdge,
}

/// The space for phase names, across the direction of the diagram.
fn head(graph: &MachineGraph, direction: GraphDirection) -> f64 {
    let mut phases = graph
        .groups
        .iter()
        .filter(|group| group.kind == GroupKind::Phase);
    match direction {
        GraphDirection::Right if phases.next().is_some() => 44.0,
        GraphDirection::Right => 0.0,
        GraphDirection::Down => phases
            .map(|group| texts::group_width(&group.name))
            .fold(0.0, f64::max),
    }
}

/// Whether a node of this kind has its name next to its shape.
fn has_outer_name(kind: GraphNodeKind) -> bool {
    !matches!(kind, GraphNodeKind::Simple | GraphNodeKind::Phase)
}

fn node_item(
    number: usize,
    kind: GraphNodeKind,
    placed: &PlacedNode,
    direction: GraphDirection,
) -> RankedItem {
    let is_outside = has_outer_name(kind);
    let lines = if is_outside {
        lines_height(placed) + 4.0
    } else {
        0.0
    };
    let outer_width = if is_outside {
        outer_text_width(placed)
    } else {
        0.0
    };
    let (port_width, port_height) = placed
        .port
        .as_ref()
        .map_or((0.0, 0.0), |port| (port.width, port.height));
    let port_gap = if placed.port.is_some() { TEXT_GAP } else { 0.0 };
    let (width, above, below) = match direction {
        GraphDirection::Right => (
            placed.width.max(outer_width).max(port_width),
            placed.height / 2.0 + port_height + port_gap,
            placed.height / 2.0 + lines,
        ),
        GraphDirection::Down => (
            placed.height.max(lines).max(port_height),
            placed.width / 2.0 + port_width + port_gap,
            placed.width / 2.0 + if is_outside { outer_width + 8.0 } else { 0.0 },
        ),
    };
    RankedItem {
        node: Some(number),
        rank: placed.column * 2,
        width,
        above,
        below,
        ..RankedItem::default()
    }
}

/// Positions the texts of a node: inside the shape if it is a box, otherwise next to it, on a side without edges.
fn place_texts(kind: GraphNodeKind, placed: &mut PlacedNode, direction: GraphDirection) {
    let left = placed.x - placed.width / 2.0;
    let top = placed.y - placed.height / 2.0;
    placed.name_at = match direction {
        _ if !has_outer_name(kind) => (placed.x, top + 22.0),
        GraphDirection::Right => (placed.x, placed.y + placed.height / 2.0 + 15.0),
        GraphDirection::Down => (
            placed.x + placed.width / 2.0 + 8.0 + outer_text_width(placed) / 2.0,
            placed.y - lines_height(placed) / 2.0 + 13.0,
        ),
    };
    if let Some(port) = &mut placed.port {
        (port.x, port.y) = match direction {
            GraphDirection::Right => (placed.x, top - port.height - 14.0),
            GraphDirection::Down => (left - 14.0 - port.width / 2.0, placed.y - port.height / 2.0),
        };
    }
}

/// Adds an item for each edge to each rank through which the edge runs.
fn chains(
    graph: &MachineGraph,
    columns: &[usize],
    direction: GraphDirection,
    ranks: &mut Ranks,
) -> Vec<EdgeChain> {
    let column = |node: usize| columns.get(node).copied().unwrap_or_default();
    let mut chains = Vec::new();
    let drawn = graph.edges.iter().enumerate();
    for (number, edge) in drawn.filter(|(_, edge)| edge.is_drawn()) {
        let from = column(edge.from);
        let to = column(edge.to);
        let backward = from > to;
        let (left, right) = if backward {
            (edge.to, edge.from)
        } else {
            (edge.from, edge.to)
        };
        let first = from.min(to) * 2 + 1;
        let last = (from.max(to) * 2).saturating_sub(1);
        let label_rank = if backward { last } else { first };
        let label = edge_label(&edge.drawn());
        let (label_along, label_across) = direction.turned(label.width, label.height);
        let mut items = vec![left];
        for rank in first..=last {
            let (width, half) = if rank == label_rank {
                (label_along, label_across / 2.0)
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
        let label_index = label_rank - first + 1;
        let placed = PlacedEdge {
            edge: number,
            label,
            backward,
            ..PlacedEdge::default()
        };
        chains.push(EdgeChain {
            items,
            label_index,
            placed,
        });
    }
    chains
}

/// The extent of each rank. Edges bend only next to ranks of labels, so that they do not cross labels or nodes. The
/// farther an edge moves across, the longer its bend.
fn along(ranks: &Ranks) -> Vec<RankSpan> {
    let mut bends = vec![BEND.0; ranks.order.len() + 1];
    for link in &ranks.links {
        let (Some(left), Some(right)) = (ranks.items.get(link.left), ranks.items.get(link.right))
        else {
            continue;
        };
        // Bend 3 is between ranks 2 and 3, bend 4 between ranks 3 and 4.
        if let Some(bend) = bends.get_mut(right.rank) {
            *bend = bend.max((right.y - left.y).abs() * 0.2).min(BEND.1);
        }
    }
    let mut start = MARGIN + START_GAP - PAD;
    let mut spans = Vec::new();
    for (number, rank) in ranks.order.iter().enumerate() {
        let items = rank.iter().filter_map(|item| ranks.items.get(*item));
        let widest = items.map(|item| item.width).fold(0.0, f64::max);
        let bend = |rank: usize| bends.get(rank).copied().unwrap_or(BEND.0);
        let (before, after) = match number % 2 {
            0 => (PAD, PAD),
            _ if rank.is_empty() => (EMPTY_GAP / 2.0, EMPTY_GAP / 2.0),
            _ => (bend(number), bend(number + 1)),
        };
        let end = start + before + widest + after;
        let (inner_start, inner_end) = match number % 2 {
            0 => (start, end),
            _ => (start + before, end - after),
        };
        spans.push(RankSpan {
            start,
            inner_start,
            inner_end,
            end,
        });
        start = end;
    }
    spans
}

/// The positions of phases in a diagram of the size `across`.
fn groups(
    graph: &MachineGraph,
    nodes: &[PlacedNode],
    spans: &[RankSpan],
    (direction, across): (GraphDirection, f64),
) -> Vec<PlacedGroup> {
    let head = head(graph, direction);
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
            let start = spans.get(columns.iter().min()? * 2)?.start - 4.0;
            let end = spans.get(columns.iter().max()? * 2)?.end + 4.0;
            let (x, y) = direction.turned(start, HEAD);
            let (width, height) = direction.turned(end - start, across - HEAD * 2.0);
            let (name, name_at) = match direction {
                GraphDirection::Right => (
                    group_name(&group.name, width - 12.0),
                    (x + width / 2.0, 24.0),
                ),
                GraphDirection::Down => (
                    group_name(&group.name, texts::WIDEST_GROUP),
                    (x + head / 2.0 + 4.0, y + 20.0),
                ),
            };
            Some(PlacedGroup {
                group: number,
                x,
                y,
                width,
                height,
                name,
                name_at,
            })
        })
        .collect()
}
