//! The texts of nodes and edges, broken into lines.

use super::text_size::{at_most, text_width, wrapped};
use crate::graph::{
    EdgeKind, EdgeLabel, GraphDirection, GraphNode, GraphNodeKind, MachineGraph, PlacedNode,
    TextBlock,
};
use fsmsim_syntax::terminal::Joined;

/// The font size of names.
const NAME: f64 = 13.0;
/// The font size of all other texts.
const SMALL: f64 = 11.0;
/// The maximum width of a name, in pixels.
const MAX_NAME_WIDTH: f64 = 150.0;
/// The maximum width of a label, in pixels.
const MAX_LABEL_WIDTH: f64 = 160.0;
/// The maximum width of a phase name at the side of a diagram, in pixels.
pub(super) const WIDEST_GROUP: f64 = 110.0;
/// The line height of names.
const NAME_LINE: f64 = 17.0;
/// The line height of other texts.
const SMALL_LINE: f64 = 14.0;
/// The maximum number of transitions to name on an edge.
const MAX_LABELS: usize = 4;
/// The minimum number of names that are combined because they have a common prefix.
const MIN_COMBINED: usize = 3;

/// A node with texts and size, but without a position.
pub(super) fn node_box(
    graph: &MachineGraph,
    number: usize,
    node: &GraphNode,
    direction: GraphDirection,
) -> PlacedNode {
    let name = wrapped(&node.name, NAME * 1.04, MAX_NAME_WIDTH);
    let own = graph
        .edges
        .iter()
        .find(|edge| edge.from == number && edge.to == number);
    let mut triggers: Vec<&str> = own
        .iter()
        .flat_map(|edge| &edge.labels)
        .map(|label| &*label.trigger)
        .collect();
    triggers.dedup();
    let loops = alike(&triggers).join(", ");
    let loops = if loops.is_empty() {
        Vec::new()
    } else {
        at_most(wrapped(&format!("↻ {loops}"), SMALL, MAX_NAME_WIDTH), 2)
    };
    let slots = if node.kind == GraphNodeKind::Phase {
        vec![format!("{} states", node.members.len())]
    } else if node.required.is_empty() {
        Vec::new()
    } else {
        at_most(
            wrapped(
                &format!("▫ {}", node.required.join(", ")),
                SMALL,
                MAX_NAME_WIDTH,
            ),
            3,
        )
    };
    let mut built_in: Vec<&str> = graph
        .edges
        .iter()
        .filter(|edge| edge.from == number)
        .flat_map(|edge| &edge.labels)
        .filter(|label| label.is_built_in)
        .map(|label| &*label.trigger)
        .collect();
    built_in.sort_unstable();
    built_in.dedup();
    let built_in = if built_in.is_empty() {
        Vec::new()
    } else {
        vec![format!("+{} built in", built_in.len())]
    };
    let placed = PlacedNode {
        name,
        slots,
        loops,
        built_in,
        ..PlacedNode::default()
    };
    let (width, height) = match node.kind {
        GraphNodeKind::Choice => (34.0, 34.0),
        GraphNodeKind::Fork | GraphNodeKind::Join | GraphNodeKind::Parallel => {
            direction.turned(10.0, 56.0)
        }
        GraphNodeKind::Simple | GraphNodeKind::Phase => (
            (outer_text_width(&placed) + 26.0).max(84.0),
            lines_height(&placed) + 18.0,
        ),
    };
    let shared: Vec<_> = graph
        .shared
        .iter()
        .filter(|shared| shared.to == number)
        .collect();
    let port = (!shared.is_empty()).then(|| {
        let labels: Vec<EdgeLabel> = shared
            .iter()
            .flat_map(|shared| shared.labels.iter().cloned())
            .collect();
        let from = shared
            .iter()
            .map(|shared| shared.from.len())
            .max()
            .unwrap_or_default();
        let of = shared
            .iter()
            .map(|shared| shared.of)
            .max()
            .unwrap_or_default();
        let whence = if from >= of {
            "from every state".to_owned()
        } else {
            format!("from {from} of {of} states")
        };
        let mut lines = vec![(whence, true)];
        lines.extend(short(&labels));
        block(lines)
    });
    PlacedNode {
        width,
        height,
        port,
        ..placed
    }
}

/// The total height of the text lines of a node.
pub(super) fn lines_height(placed: &PlacedNode) -> f64 {
    let small = placed.slots.len() + placed.loops.len() + placed.built_in.len();
    lines_of(placed.name.len(), NAME_LINE) + lines_of(small, SMALL_LINE)
}

/// The height of `count` lines.
fn lines_of(count: usize, height: f64) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "lines are few")]
    let count = count as f64;
    count * height
}

/// The width of the text that belongs to a node's shape, in pixels.
pub(super) fn outer_text_width(node: &PlacedNode) -> f64 {
    let names = node.name.iter().map(|line| text_width(line, NAME * 1.06));
    let rest = node
        .slots
        .iter()
        .chain(&node.loops)
        .chain(&node.built_in)
        .map(|line| text_width(line, SMALL));
    names.chain(rest).fold(0.0, f64::max)
}

/// The name of a phase, broken into lines.
pub(super) fn group_name(name: &str, width: f64) -> Vec<String> {
    wrapped(name, NAME, width.max(60.0))
}

/// The width of a phase name at the side of a diagram.
pub(super) fn group_width(name: &str) -> f64 {
    let lines = group_name(name, WIDEST_GROUP);
    let lines = lines.iter().map(|line| text_width(line, NAME));
    lines.fold(0.0, f64::max) + 8.0
}

/// The label of an edge.
pub(super) fn edge_label(labels: &[EdgeLabel]) -> TextBlock {
    block(short(labels))
}

fn block(lines: Vec<(String, bool)>) -> TextBlock {
    let width = lines
        .iter()
        .map(|(line, _)| text_width(line, SMALL))
        .fold(0.0, f64::max);
    let height = lines_of(lines.len(), SMALL_LINE);
    TextBlock {
        width: width + 10.0,
        height: height + 4.0,
        lines,
        ..TextBlock::default()
    }
}

/// Transitions in a few lines, each as `name, if condition` and without duplicates.
fn short(labels: &[EdgeLabel]) -> Vec<(String, bool)> {
    let mut grouped: Vec<(Vec<&str>, &str, EdgeKind)> = Vec::new();
    for label in labels {
        match grouped
            .iter_mut()
            .find(|(_, condition, kind)| *condition == label.condition && *kind == label.kind)
        {
            Some((names, ..)) => names.push(&label.trigger),
            None => grouped.push((vec![&label.trigger], &label.condition, label.kind)),
        }
    }
    let mut ways: Vec<String> = Vec::new();
    for (names, condition, _) in grouped {
        let condition = match condition {
            "" | "otherwise" => condition.to_owned(),
            condition => format!("if {condition}"),
        };
        let mut names = alike(&names);
        if names.is_empty() {
            names.push(String::new());
        }
        for name in names {
            let parts = [&*name, &*condition];
            let way = parts
                .into_iter()
                .filter(|part| !part.is_empty())
                .joined(", ");
            if !ways.contains(&way) {
                ways.push(way);
            }
        }
    }
    let mut lines = Vec::new();
    for way in ways.iter().take(MAX_LABELS) {
        // A transition that is the only one, or that has a condition, may take two lines.
        let most = if labels.len() > 1 && !way.contains(", ") {
            1
        } else {
            2
        };
        let way = at_most(wrapped(way, SMALL, MAX_LABEL_WIDTH), most);
        lines.extend(way.into_iter().map(|line| (line, false)));
    }
    let left = ways.len().saturating_sub(MAX_LABELS);
    if left > 0 {
        lines.push((format!("+{left} more"), true));
    }
    lines
}

/// The names, combining those with a common prefix.
fn alike(names: &[&str]) -> Vec<String> {
    let prefix = |name: &str| name.split_once('_').map(|(first, _)| first.to_owned());
    let mut combined: Vec<String> = Vec::new();
    let mut done: Vec<String> = Vec::new();
    for name in names.iter().filter(|name| !name.is_empty()) {
        let Some(first) = prefix(name) else {
            combined.push((*name).to_owned());
            continue;
        };
        let same = names
            .iter()
            .filter(|other| prefix(other).as_ref() == Some(&first))
            .count();
        if same < MIN_COMBINED {
            combined.push((*name).to_owned());
        } else if !done.contains(&first) {
            combined.push(format!("{first}_… ×{same}"));
            done.push(first);
        }
    }
    combined
}
