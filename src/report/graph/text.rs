//! A picture of a machine for a terminal: each state with its ways out.

use std::fmt::Write;

use colored::Colorize;
use unicode_width::UnicodeWidthStr;

use super::text_ways::{TextWay, lines, ways_of};
use crate::graph::{GraphNode, GraphNodeKind, GroupKind, MachineGraph};
use crate::report::plural::plural;
use crate::terminal::printable;

/// How wide a list of ways that many states have may be before it goes on in the next line.
const LONGEST: usize = 90;

/// Writes a picture for a terminal: the states in the order of their phases, each with its ways out, and those to which no
/// way leads in the end.
pub fn write_graph_text(graph: &MachineGraph) -> String {
    let mut out = String::new();
    let _ = writeln!(out, "{}: {}", printable(&graph.name).bold(), plural(graph.nodes.len(), "state"));
    if !graph.about.is_empty() {
        let _ = writeln!(out, "{}", printable(&graph.about));
    }
    for (number, group) in graph.groups.iter().enumerate() {
        let inside = |(_, node): &(usize, &GraphNode)| node.group == number && !node.unreached;
        let states: Vec<(usize, &GraphNode)> = graph.nodes.iter().enumerate().filter(inside).collect();
        let title = match group.kind {
            GroupKind::Phase => group.name.clone(),
            GroupKind::Before => {
                let next = graph.groups.get(number + 1).map_or("", |group| &group.name);
                format!("before {next}")
            }
            GroupKind::Other if graph.groups.len() > 1 => "without a phase".to_owned(),
            GroupKind::Other => String::new(),
        };
        write_section(graph, &title, &states, &mut out);
    }
    let unreached: Vec<(usize, &GraphNode)> =
        graph.nodes.iter().enumerate().filter(|(_, node)| node.unreached).collect();
    write_section(graph, "no way leads here", &unreached, &mut out);
    out
}

/// Writes a heading, where there is one, and states below it.
fn write_section(graph: &MachineGraph, title: &str, states: &[(usize, &GraphNode)], out: &mut String) {
    if states.is_empty() {
        return;
    }
    if !title.is_empty() {
        let title = printable(title);
        let line = "─".repeat(title.width());
        let _ = write!(out, "\n{}\n{}\n", title.bold(), line.dimmed());
    }
    for (number, node) in states {
        write_state(graph, *number, node, out);
    }
}

fn write_state(graph: &MachineGraph, number: usize, node: &GraphNode, out: &mut String) {
    let sign = match node.kind {
        _ if node.initial => "●",
        _ if node.is_final => "◎",
        GraphNodeKind::Choice => "◇",
        GraphNodeKind::Fork | GraphNodeKind::Parallel => "╞",
        GraphNodeKind::Join => "╡",
        GraphNodeKind::Simple | GraphNodeKind::Phase => "○",
    };
    let mut about = Vec::new();
    about.extend(node.initial.then_some("begins here".to_owned()));
    about.extend(node.is_final.then_some("ends here".to_owned()));
    about.extend(kind_in_words(node.kind).map(str::to_owned));
    about.extend(node.inside.as_ref().map(|outer| format!("inside {outer}")));
    about.extend((!node.required.is_empty()).then(|| format!("collects {}", node.required.join(", "))));
    let _ = write!(out, "\n{sign} {}", printable(&node.name).bold());
    if !about.is_empty() {
        let _ = write!(out, "  {}", printable(&format!("({})", about.join("; "))).dimmed());
    }
    out.push('\n');
    for shared in graph.shared.iter().filter(|shared| shared.to == number) {
        let labels: Vec<String> = shared.labels.iter().map(|label| printable(&super::label_text(label))).collect();
        let _ = writeln!(out, "{}", format!("⇐ from {} of {} states:", shared.from.len(), shared.of).dimmed());
        for line in lines(&labels, LONGEST) {
            let _ = writeln!(out, "  {}", line.dimmed());
        }
    }
    let ways = ways_of(graph, number);
    let width = ways.iter().map(TextWay::width).max().unwrap_or_default();
    for (at, way) in ways.iter().enumerate() {
        way.write(at + 1 == ways.len(), width, out);
    }
}

/// What a state is, where it is no plain place.
fn kind_in_words(kind: GraphNodeKind) -> Option<&'static str> {
    match kind {
        GraphNodeKind::Simple | GraphNodeKind::Phase => None,
        GraphNodeKind::Choice => Some("choice"),
        GraphNodeKind::Fork => Some("fork"),
        GraphNodeKind::Join => Some("join"),
        GraphNodeKind::Parallel => Some("starts its regions"),
    }
}
