//! A diagram of a machine for Mermaid.

use std::fmt::Write;

use fsmsim_harness::graph::{
    EdgeKind, EdgeLabel, GraphDirection, GraphNodeKind, GroupKind, MachineGraph,
};
use fsmsim_syntax::terminal::{Joined, printable};

/// Escapes text for Mermaid: special characters become character codes.
fn text(text: &str) -> String {
    let mut out = String::new();
    for character in printable(text).chars() {
        if character.is_alphanumeric() || matches!(character, ' ' | '_' | '-' | '.' | ',') {
            out.push(character);
        } else {
            let _ = write!(out, "#{};", u32::from(character));
        }
    }
    // Mermaid rejects empty quoted strings.
    if out.is_empty() { " ".to_owned() } else { out }
}

/// An arrow with the labels of its transitions, one per line; an unconditional transition has no label.
fn arrow(shaft: &str, labels: &[EdgeLabel]) -> String {
    let labels: Vec<String> = labels.iter().map(super::label_text).collect();
    if labels.iter().all(String::is_empty) {
        return shaft.to_owned();
    }
    let lines = labels.iter().map(|label| text(label)).joined("<br/>");
    format!("{shaft}|\"{lines}\"|")
}

/// Writes a diagram for Mermaid as a flowchart, because Mermaid's state diagrams cannot label choices.
pub fn write_mermaid(graph: &MachineGraph, direction: GraphDirection) -> String {
    let mut out = format!("flowchart {}\n", direction.code());
    for (number, group) in graph.groups.iter().enumerate() {
        let is_phase = group.kind == GroupKind::Phase;
        if is_phase {
            let _ = writeln!(out, "  subgraph g{number}[\"{}\"]", text(&group.name));
        }
        for (id, node) in graph
            .nodes
            .iter()
            .enumerate()
            .filter(|(_, node)| node.group == number)
        {
            let name = text(&node.name);
            let _ = match node.kind {
                GraphNodeKind::Choice => writeln!(out, "  s{id}{{\"{name}\"}}"),
                GraphNodeKind::Fork | GraphNodeKind::Join | GraphNodeKind::Parallel => {
                    writeln!(out, "  s{id}[[\"{name}\"]]")
                }
                GraphNodeKind::Simple | GraphNodeKind::Phase if node.is_final => {
                    writeln!(out, "  s{id}(((\"{name}\")))")
                }
                GraphNodeKind::Simple | GraphNodeKind::Phase => {
                    writeln!(out, "  s{id}(\"{name}\")")
                }
            };
        }
        if is_phase {
            out.push_str("  end\n");
        }
    }
    if let Some(initial) = graph.nodes.iter().position(|node| node.initial) {
        let _ = writeln!(out, "  begin((\" \")) --> s{initial}");
    }
    for edge in &graph.edges {
        let shaft = match edge.kind() {
            EdgeKind::Digress => "-.->",
            _ => "-->",
        };
        let _ = writeln!(
            out,
            "  s{} {} s{}",
            edge.from,
            arrow(shaft, &edge.labels),
            edge.to
        );
    }
    for (number, shared) in graph.shared.iter().enumerate() {
        let arrow = arrow("-.->", &shared.labels);
        let _ = writeln!(
            out,
            "  any{number}[\"from {} states\"] {arrow} s{}",
            shared.from.len(),
            shared.to
        );
    }
    out
}
