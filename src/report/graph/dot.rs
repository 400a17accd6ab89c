//! A picture of a machine for Graphviz.

use std::fmt::Write;

use crate::graph::{EdgeKind, EdgeLabel, GraphNodeKind, GroupKind, MachineGraph};
use crate::terminal::printable;

/// A text as it may stand between quotes.
fn inside_quotes(text: &str) -> String {
    printable(text).replace('\\', "\\\\").replace('"', "\\\"")
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", inside_quotes(text))
}

/// Ways, a line each, as they may stand between quotes.
fn lines(labels: &[EdgeLabel]) -> String {
    labels.iter().map(|label| inside_quotes(&super::label_text(label))).collect::<Vec<_>>().join("\\n")
}

/// Writes a picture for Graphviz.
pub fn write_dot(graph: &MachineGraph) -> String {
    let mut out = format!("digraph {} {{\n  rankdir=LR;\n  node [shape=box, style=rounded];\n", quoted(&graph.name));
    for (number, group) in graph.groups.iter().enumerate() {
        let inside = graph.nodes.iter().filter(|node| node.group == number);
        let is_phase = group.kind == GroupKind::Phase;
        if is_phase {
            let _ = writeln!(out, "  subgraph cluster_{number} {{\n  label={};", quoted(&group.name));
        }
        for node in inside {
            let shape = match node.kind {
                GraphNodeKind::Choice => ", shape=diamond, style=solid",
                GraphNodeKind::Fork | GraphNodeKind::Join | GraphNodeKind::Parallel => ", shape=box, style=filled",
                GraphNodeKind::Simple | GraphNodeKind::Phase if node.is_final => ", peripheries=2",
                GraphNodeKind::Simple | GraphNodeKind::Phase => "",
            };
            let bold = if node.initial { ", penwidth=2" } else { "" };
            let name = quoted(&node.name);
            let _ = writeln!(out, "  {name} [label={name}{shape}{bold}];");
        }
        if is_phase {
            out.push_str("  }\n");
        }
    }
    let name = |node: usize| quoted(graph.nodes.get(node).map_or("", |node| &node.name));
    for edge in &graph.edges {
        let label = lines(&edge.labels);
        let style = match edge.kind() {
            EdgeKind::Digress => ", style=dashed",
            EdgeKind::Degrade => ", style=dotted",
            EdgeKind::Back | EdgeKind::Replan => ", constraint=false",
            _ => "",
        };
        let _ = writeln!(out, "  {} -> {} [label=\"{label}\"{style}];", name(edge.from), name(edge.to));
    }
    for shared in &graph.shared {
        let label = lines(&shared.labels);
        let any = format!("\"any of {} states\"", shared.from.len());
        let _ = writeln!(out, "  {any} [shape=plaintext];\n  {any} -> {} [label=\"{label}\"];", name(shared.to));
    }
    out.push_str("}\n");
    out
}
