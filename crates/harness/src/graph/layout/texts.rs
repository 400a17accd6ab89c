//! What stands in nodes and on edges, in lines that fit.

use super::text_size::{at_most, text_width, wrapped};
use crate::graph::{
    EdgeKind, EdgeLabel, GraphDirection, GraphNode, GraphNodeKind, MachineGraph, PlacedNode,
    TextBlock,
};
use fsmsim_syntax::terminal::Joined;

/// The size of names.
const NAME: f64 = 13.0;
/// The size of all else.
const SMALL: f64 = 11.0;
/// How wide a name may be.
const WIDEST_NAME: f64 = 150.0;
/// How wide a label may be.
const WIDEST_LABEL: f64 = 160.0;
/// The maximum width of a phase name at the side of a diagram, in pixels.
pub(super) const WIDEST_GROUP: f64 = 110.0;
/// How high a line of a name is.
pub(super) const NAME_LINE: f64 = 17.0;
/// How high a line of anything else is.
pub(super) const SMALL_LINE: f64 = 14.0;
/// So many ways are named on an edge.
const MOST_LABELS: usize = 4;
/// From so many names on, those that begin alike are told as one.
const ALIKE: usize = 3;

/// A node with its texts and its size, not yet placed.
pub(super) fn node_box(
    graph: &MachineGraph,
    number: usize,
    node: &GraphNode,
    direction: GraphDirection,
) -> PlacedNode {
    let name = wrapped(&node.name, NAME * 1.04, WIDEST_NAME);
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
        at_most(wrapped(&format!("↻ {loops}"), SMALL, WIDEST_NAME), 2)
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
                WIDEST_NAME,
            ),
            3,
        )
    };
    let built_in = graph.edges.iter().filter(|edge| edge.from == number);
    let built_in = built_in.flat_map(|edge| &edge.labels);
    let mut built_in: Vec<&str> = built_in
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
    let widest = |lines: &[String], size: f64| {
        lines
            .iter()
            .map(|line| text_width(line, size))
            .fold(0.0, f64::max)
    };
    let text = widest(&name, NAME * 1.06)
        .max(widest(&slots, SMALL))
        .max(widest(&loops, SMALL))
        .max(widest(&built_in, SMALL));
    let (width, height) = match node.kind {
        GraphNodeKind::Choice => (34.0, 34.0),
        GraphNodeKind::Fork | GraphNodeKind::Join | GraphNodeKind::Parallel => {
            direction.turned(10.0, 56.0)
        }
        GraphNodeKind::Simple | GraphNodeKind::Phase => {
            let lines = lines_of(slots.len() + loops.len() + built_in.len(), SMALL_LINE);
            (
                (text + 26.0).max(84.0),
                lines_of(name.len(), NAME_LINE) + lines + 18.0,
            )
        }
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
        name,
        slots,
        loops,
        built_in,
        port,
        ..PlacedNode::default()
    }
}

/// How high so many lines are.
pub(super) fn lines_of(count: usize, height: f64) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "lines are few")]
    let count = count as f64;
    count * height
}

/// The width of the text next to a node's shape, in pixels.
pub(super) fn width_beside(node: &PlacedNode) -> f64 {
    let names = node.name.iter().map(|line| text_width(line, NAME * 1.06));
    let rest = node
        .slots
        .iter()
        .chain(&node.loops)
        .chain(&node.built_in)
        .map(|line| text_width(line, SMALL));
    names.chain(rest).fold(0.0, f64::max)
}

/// The name of a column in lines.
pub(super) fn group_name(name: &str, width: f64) -> Vec<String> {
    wrapped(name, NAME, width.max(60.0))
}

/// How much room the name of a phase takes at the side of a picture.
pub(super) fn group_width(name: &str) -> f64 {
    let lines = group_name(name, WIDEST_GROUP);
    let lines = lines.iter().map(|line| text_width(line, NAME));
    lines.fold(0.0, f64::max) + 8.0
}

/// What stands on an edge.
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

/// Ways in a few lines, each once: `name, if condition`.
fn short(labels: &[EdgeLabel]) -> Vec<(String, bool)> {
    let mut told: Vec<(Vec<&str>, &str, EdgeKind)> = Vec::new();
    for label in labels {
        match told
            .iter_mut()
            .find(|(_, condition, kind)| *condition == label.condition && *kind == label.kind)
        {
            Some((names, ..)) => names.push(&label.trigger),
            None => told.push((vec![&label.trigger], &label.condition, label.kind)),
        }
    }
    let mut ways: Vec<String> = Vec::new();
    for (names, condition, _) in told {
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
    for way in ways.iter().take(MOST_LABELS) {
        // A single way, or one with a condition, may take two lines.
        let most = if labels.len() > 1 && !way.contains(", ") {
            1
        } else {
            2
        };
        let way = at_most(wrapped(way, SMALL, WIDEST_LABEL), most);
        lines.extend(way.into_iter().map(|line| (line, false)));
    }
    let left = ways.len().saturating_sub(MOST_LABELS);
    if left > 0 {
        lines.push((format!("+{left} more"), true));
    }
    lines
}

/// Names of which those that begin alike are one.
fn alike(names: &[&str]) -> Vec<String> {
    let beginning = |name: &str| name.split_once('_').map(|(first, _)| first.to_owned());
    let mut told: Vec<String> = Vec::new();
    let mut done: Vec<String> = Vec::new();
    for name in names.iter().filter(|name| !name.is_empty()) {
        let Some(first) = beginning(name) else {
            told.push((*name).to_owned());
            continue;
        };
        let same = names
            .iter()
            .filter(|other| beginning(other).as_ref() == Some(&first))
            .count();
        if same < ALIKE {
            told.push((*name).to_owned());
        } else if !done.contains(&first) {
            told.push(format!("{first}_… ×{same}"));
            done.push(first);
        }
    }
    told
}
