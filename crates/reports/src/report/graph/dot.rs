//! A picture of a machine for Graphviz.

use std::fmt::Write;

use fsmsim_harness::graph::{
    EdgeKind, EdgeLabel, GraphDirection, GraphNodeKind, GroupKind, MachineGraph,
};
use fsmsim_syntax::terminal::{Joined, printable};

/// A text as it may stand between quotes.
fn inside_quotes(text: &str) -> String {
    printable(text).replace('\\', "\\\\").replace('"', "\\\"")
}

/// What a node is called in the file; its label is what is drawn.
fn quoted(text: &str) -> String {
    format!("\"{}\"", inside_quotes(text))
}

/// A text that is drawn, where Graphviz takes `&lt;` for `<`.
fn drawn(text: &str) -> String {
    inside_quotes(text).replace('&', "&amp;")
}

/// Ways, a line each, as they may stand between quotes.
fn lines(labels: &[EdgeLabel]) -> String {
    labels
        .iter()
        .map(|label| drawn(&super::label_text(label)))
        .joined("\\n")
}

/// Writes a picture for Graphviz.
pub fn write_dot(graph: &MachineGraph, direction: GraphDirection) -> String {
    let mut out = format!(
        "digraph {} {{\n  rankdir={};\n  node [shape=box, style=rounded];\n",
        quoted(&graph.name),
        direction.code()
    );
    for (number, group) in graph.groups.iter().enumerate() {
        let inside = graph.nodes.iter().filter(|node| node.group == number);
        let is_phase = group.kind == GroupKind::Phase;
        if is_phase {
            let _ = writeln!(
                out,
                "  subgraph cluster_{number} {{\n  label=\"{}\";",
                drawn(&group.name)
            );
        }
        for node in inside {
            let shape = match node.kind {
                GraphNodeKind::Choice => ", shape=diamond, style=solid",
                GraphNodeKind::Fork | GraphNodeKind::Join | GraphNodeKind::Parallel => {
                    ", shape=box, style=filled"
                }
                GraphNodeKind::Simple | GraphNodeKind::Phase if node.is_final => ", peripheries=2",
                GraphNodeKind::Simple | GraphNodeKind::Phase => "",
            };
            let bold = if node.initial { ", penwidth=2" } else { "" };
            let (name, label) = (quoted(&node.name), drawn(&node.name));
            let _ = writeln!(out, "  {name} [label=\"{label}\"{shape}{bold}];");
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
        let _ = writeln!(
            out,
            "  {} -> {} [label=\"{label}\"{style}];",
            name(edge.from),
            name(edge.to)
        );
    }
    for (number, shared) in graph.shared.iter().enumerate() {
        // Each note is a node of its own, also beside one of as many states and beside a state of that name.
        let mut note = format!("note {number}");
        while graph.nodes.iter().any(|node| node.name == note) {
            note.push('_');
        }
        let _ = writeln!(
            out,
            "  \"{note}\" [label=\"from {} states\", shape=plaintext];",
            shared.from.len()
        );
        let _ = writeln!(
            out,
            "  \"{note}\" -> {} [label=\"{}\"];",
            name(shared.to),
            lines(&shared.labels)
        );
    }
    out.push_str("}\n");
    out
}
