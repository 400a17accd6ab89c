//! A diagram of a machine for a terminal: each state with its outgoing transitions.

use std::fmt::Write;

use colored::Colorize;
use unicode_width::UnicodeWidthStr;

use super::text_transitions::{TextTransition, lines};
use super::{GraphSection, about_node, comes_from, mark_label, sections_of, ways_of};
use fsmsim_harness::graph::{GraphNode, GraphNodeKind, GraphOverlay, MachineGraph};
use fsmsim_syntax::diagnostic::plural;
use fsmsim_syntax::terminal::printable;

/// The maximum width of a line of shared transitions.
const MAX_LABEL_WIDTH: usize = 90;

/// A diagram and its overlay.
type Picture<'g> = (&'g MachineGraph, &'g GraphOverlay);

/// Writes a diagram for a terminal: the states by phase, each with its outgoing transitions; unreachable states come
/// last.
pub fn write_graph_text(graph: &MachineGraph, overlay: &GraphOverlay) -> String {
    let mut out = String::new();
    let _ = writeln!(
        out,
        "{}: {}",
        printable(&graph.name).bold(),
        plural(graph.nodes.len(), "state")
    );
    if !graph.about.is_empty() {
        let _ = writeln!(out, "{}", printable(&graph.about));
    }
    for section in sections_of(graph) {
        write_section((graph, overlay), &section, &mut out);
    }
    out
}

/// Writes a section: its title, if it has one, and its states.
fn write_section(picture: Picture<'_>, section: &GraphSection<'_>, out: &mut String) {
    if !section.title.is_empty() {
        let title = printable(&section.title);
        let line = "─".repeat(title.width());
        let _ = write!(out, "\n{}\n{}\n", title.bold(), line.dimmed());
    }
    for (number, node) in &section.states {
        write_state(picture, *number, node, out);
    }
}

fn write_state((graph, overlay): Picture<'_>, number: usize, node: &GraphNode, out: &mut String) {
    let sign = match node.kind {
        _ if node.initial => "●",
        _ if node.is_final => "◎",
        GraphNodeKind::Choice => "◇",
        GraphNodeKind::Fork | GraphNodeKind::Parallel => "╞",
        GraphNodeKind::Join => "╡",
        GraphNodeKind::Simple | GraphNodeKind::Phase => "○",
    };
    let about = about_node(node);
    let _ = write!(out, "\n{sign} {}", printable(&node.name).bold());
    if !about.is_empty() {
        let _ = write!(out, "  {}", format!("({})", about.join("; ")).dimmed());
    }
    let passed = overlay
        .states
        .get(&node.name)
        .map(|mark| mark_label(&mark.passed, mark.coverage))
        .unwrap_or_default();
    if !passed.is_empty() {
        let _ = write!(out, "  {}", passed.bold());
    }
    out.push('\n');
    for (sources, labels, passed) in comes_from(graph, overlay, number) {
        let passed = if passed.is_empty() {
            passed
        } else {
            format!("  {passed}")
        };
        let _ = writeln!(out, "{}{}", format!("⇐ {sources}:").dimmed(), passed.bold());
        for line in lines(&labels, MAX_LABEL_WIDTH) {
            let _ = writeln!(out, "  {}", line.dimmed());
        }
    }
    let ways: Vec<TextTransition> = ways_of(graph, overlay, number)
        .iter()
        .map(|way| TextTransition::of(way, graph))
        .collect();
    let width = ways
        .iter()
        .map(TextTransition::width)
        .max()
        .unwrap_or_default();
    for (at, way) in ways.iter().enumerate() {
        way.write(at + 1 == ways.len(), width, out);
    }
}
