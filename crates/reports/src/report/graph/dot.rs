//! A diagram of a machine for Graphviz.

use std::fmt::Write;

use fsmsim_harness::graph::{
    EdgeKind, EdgeLabel, GraphDirection, GraphNodeKind, GroupKind, MachineGraph,
};
use fsmsim_syntax::terminal::{Joined, printable};

/// Escapes a text for a quoted string.
fn inside_quotes(text: &str) -> String {
    printable(text).replace('\\', "\\\\").replace('"', "\\\"")
}

/// The quoted ID of a node.
fn quoted(text: &str) -> String {
    format!("\"{}\"", inside_quotes(text))
}

/// Escapes the text of a label: Graphviz interprets `&lt;` as `<`.
fn drawn(text: &str) -> String {
    inside_quotes(text).replace('&', "&amp;")
}

/// The labels of transitions, one per line, escaped for a quoted string.
fn lines(labels: &[EdgeLabel]) -> String {
    labels
        .iter()
        .map(|label| drawn(&super::label_text(label)))
        .joined("\\n")
}

/// Writes a diagram for Graphviz.
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
            let name = quoted(&node.name);
            let label = drawn(&node.name);
            let _ = writeln!(out, "  {name} [label=\"{label}\"{shape}{bold}];");
        }
        if is_phase {
            out.push_str("  }\n");
        }
    }
    let name = |node: usize| quoted(graph.name_of(node));
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
        // Each note needs a unique name, because several notes can have the same text, and a state can have that name.
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
            "  \"{note}\" -> {} [label=\"{}\", style=dashed];",
            name(shared.to),
            lines(&shared.labels)
        );
    }
    out.push_str("}\n");
    out
}
