//! A picture of a machine as SVG.

use std::fmt::Write;

use super::svg_text::write_lines;
use super::{comes_from, passed_label};
use crate::report::grid::escaped;
use fsmsim_harness::graph::{
    Covered, EdgeKind, EdgeLabel, GraphLayout, GraphNode, GraphNodeKind, GraphOverlay,
    MachineGraph, OverlayMark, OverlaySide, PlacedEdge, PlacedNode, TextBlock,
};
use fsmsim_syntax::terminal::Joined;

/// The colours that phases share; the ninth phase has the first again.
const COLOURS: usize = 8;
/// How high a line of a name is.
const NAME: f64 = 17.0;
/// How high a line of anything else is.
const SMALL: f64 = 14.0;
/// What the legend takes.
const LEGEND: f64 = 26.0;

/// Where an SVG stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SvgUse {
    /// In a file of its own: it brings its style.
    Alone,
    /// In a page, which has the style.
    Inside,
}

/// Writes a picture of a machine.
pub fn write_svg(graph: &MachineGraph, overlay: &GraphOverlay, stands: SvgUse) -> String {
    let layout = GraphLayout::of(graph);
    let mut out = String::new();
    let kinds = legend_kinds(graph, overlay);
    let (width, height) = (layout.width.max(legend_width(&kinds)), layout.height);
    let total = if kinds.is_empty() {
        height
    } else {
        height + LEGEND
    };
    let _ = writeln!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"graph\" role=\"img\" viewBox=\"0 0 {width:.0} {total:.0}\" \
         width=\"{width:.0}\" height=\"{total:.0}\">\n<title>{}</title>\n<desc>{}</desc>",
        escaped(&graph.name),
        escaped(&description(graph))
    );
    if stands == SvgUse::Alone {
        let (tokens, style) = (
            include_str!("../page/tokens.css"),
            include_str!("../page/graph.css"),
        );
        let _ = writeln!(
            out,
            "<style>\n{tokens}{style}</style>\n<rect class=\"paper\" width=\"100%\" height=\"100%\"/>"
        );
    }
    write_groups(graph, &layout, &mut out);
    for edge in &layout.edges {
        write_edge(graph, overlay, edge, &mut out);
    }
    for edge in &layout.edges {
        write_label(graph, edge, &mut out);
    }
    for (node, placed) in graph.nodes.iter().zip(&layout.nodes) {
        write_node(graph, overlay, node, placed, &mut out);
    }
    write_legend(&kinds, height, &mut out);
    out.push_str("</svg>\n");
    out
}

/// What somebody is told who does not see the picture.
fn description(graph: &MachineGraph) -> String {
    let initial = graph
        .nodes
        .iter()
        .find(|node| node.initial)
        .map(|node| format!(", begins in {}", node.name));
    let finals: Vec<&str> = graph
        .nodes
        .iter()
        .filter(|node| node.is_final)
        .map(|node| &*node.name)
        .collect();
    let ends = if finals.is_empty() {
        String::new()
    } else {
        format!(", ends in {}", finals.join(", "))
    };
    let about = if graph.about.is_empty() {
        String::new()
    } else {
        format!("{}. ", graph.about)
    };
    format!(
        "{about}{} states{}{ends}",
        graph.nodes.len(),
        initial.unwrap_or_default()
    )
}

fn write_groups(graph: &MachineGraph, layout: &GraphLayout, out: &mut String) {
    for group in &layout.groups {
        let name = graph
            .groups
            .get(group.group)
            .map_or("", |group| &group.name);
        let _ = writeln!(
            out,
            "<g class=\"phase {}\" data-phase=\"{}\"><rect x=\"{:.1}\" y=\"6\" width=\"{:.1}\" height=\"{:.1}\" rx=\"6\"/>",
            colour(graph, group.group),
            escaped(name),
            group.x,
            group.width,
            layout.height - 12.0
        );
        let lines = group.name.iter().map(|line| (line.as_str(), ""));
        write_lines(out, group.x + group.width / 2.0, 24.0, 15.0, lines);
        out.push_str("</g>\n");
    }
}

/// The class that says which colour a group has.
fn colour(graph: &MachineGraph, group: usize) -> String {
    let phases = graph
        .groups
        .iter()
        .enumerate()
        .filter(|(_, group)| !group.name.is_empty());
    let place = phases
        .map(|(number, _)| number)
        .position(|number| number == group);
    place.map_or_else(
        || "none".to_owned(),
        |place| format!("c{}", place % COLOURS),
    )
}

fn name_of(graph: &MachineGraph, node: usize) -> &str {
    graph.nodes.get(node).map_or("", |node| &node.name)
}

/// The ways of an edge as a tool tip.
fn told<'t>(labels: impl IntoIterator<Item = &'t EdgeLabel>) -> String {
    let line = |label: &EdgeLabel| {
        let condition = match &*label.condition {
            "" => String::new(),
            "otherwise" => " otherwise".to_owned(),
            condition => format!(" if {condition}"),
        };
        let at = label
            .at
            .as_ref()
            .map(|at| format!("  ({at})"))
            .unwrap_or_default();
        escaped(&format!("{}{condition}{at}", label.trigger))
    };
    labels.into_iter().map(line).joined("\n")
}

fn class_of(kind: EdgeKind) -> &'static str {
    match kind {
        EdgeKind::Move => "move",
        EdgeKind::Choice => "choice",
        EdgeKind::Fork => "fork",
        EdgeKind::Join => "join",
        EdgeKind::Degrade => "degrade",
        EdgeKind::Digress => "digress",
        EdgeKind::Back => "back",
        EdgeKind::Replan => "replan",
    }
}

/// The classes that an overlay gives to something.
fn overlaid(mark: Option<&OverlayMark>) -> String {
    let Some(mark) = mark else {
        return String::new();
    };
    let mut classes = String::new();
    if let Some(traffic) = mark.traffic {
        let _ = write!(classes, " w{}", traffic / 100);
    }
    if !mark.steps.is_empty()
        || mark.side.is_none() && mark.traffic.is_none() && !mark.passed.is_empty()
    {
        classes.push_str(" on");
    }
    classes.push_str(match mark.coverage {
        Some(Covered::Full) => " c-full",
        Some(Covered::Part) => " c-part",
        Some(Covered::Nothing) => " c-none",
        None => "",
    });
    classes.push_str(match mark.side {
        Some(OverlaySide::A) => " a",
        Some(OverlaySide::B) => " b",
        Some(OverlaySide::Both) => " both",
        None => "",
    });
    classes
}

fn write_edge(graph: &MachineGraph, overlay: &GraphOverlay, edge: &PlacedEdge, out: &mut String) {
    let Some(drawn) = graph.edges.get(edge.edge) else {
        return;
    };
    let (from, to) = (name_of(graph, drawn.from), name_of(graph, drawn.to));
    let mark = overlay.edges.get(&(from.to_owned(), to.to_owned()));
    let _ = write!(
        out,
        "<g class=\"edge {}{}\" data-from=\"{}\" data-to=\"{}\"><path d=\"",
        class_of(drawn.kind()),
        overlaid(mark),
        escaped(from),
        escaped(to)
    );
    let mut points = edge.points.iter();
    let Some((mut x, mut y)) = points.next().copied() else {
        return;
    };
    let _ = write!(out, "M{x:.1} {y:.1}");
    let mut bends = true;
    for (to_x, to_y) in points.copied() {
        if bends {
            let middle = f64::midpoint(x, to_x);
            let _ = write!(
                out,
                "C{middle:.1} {y:.1} {middle:.1} {to_y:.1} {to_x:.1} {to_y:.1}"
            );
        } else if (to_x - x).abs() > 0.05 {
            let _ = write!(out, "H{to_x:.1}");
        }
        bends = !bends;
        (x, y) = (to_x, to_y);
    }
    out.push_str("\"/>");
    let back = if edge.backward { 1.0 } else { -1.0 };
    let (base, up, down) = (x + 7.0 * back, y - 3.5, y + 3.5);
    let _ = writeln!(
        out,
        "<path class=\"tip\" d=\"M{x:.1} {y:.1}L{base:.1} {up:.1}V{down:.1}Z\"/>{}<title>{}</title></g>",
        count_at(mark, edge),
        told(&drawn.labels)
    );
}

/// How often a way was taken, behind its label: there no other line runs.
fn count_at(mark: Option<&OverlayMark>, edge: &PlacedEdge) -> String {
    let text = mark
        .map(|mark| passed_label(&mark.passed))
        .unwrap_or_default();
    if text.is_empty() {
        return text;
    }
    let (x, y) = (
        edge.label.x + edge.label.width / 2.0 + 2.0,
        edge.label.y + edge.label.height / 2.0 - 4.0,
    );
    format!("<text class=\"passed\" x=\"{x:.1}\" y=\"{y:.1}\">{text}</text>")
}

fn write_label(graph: &MachineGraph, edge: &PlacedEdge, out: &mut String) {
    let Some(drawn) = graph
        .edges
        .get(edge.edge)
        .filter(|_| !edge.label.lines.is_empty())
    else {
        return;
    };
    let _ = writeln!(
        out,
        "<g class=\"label\" data-from=\"{}\" data-to=\"{}\">",
        escaped(name_of(graph, drawn.from)),
        escaped(name_of(graph, drawn.to))
    );
    write_block(&edge.label, out);
    let _ = writeln!(out, "<title>{}</title></g>", told(&drawn.labels));
}

fn write_block(block: &TextBlock, out: &mut String) {
    let _ = writeln!(
        out,
        "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\" rx=\"3\"/>",
        block.x - block.width / 2.0,
        block.y,
        block.width,
        block.height
    );
    let lines = block
        .lines
        .iter()
        .map(|(line, quiet)| (line.as_str(), if *quiet { "quiet" } else { "" }));
    write_lines(out, block.x, block.y + 12.5, SMALL, lines);
}

fn write_node(
    graph: &MachineGraph,
    overlay: &GraphOverlay,
    node: &GraphNode,
    placed: &PlacedNode,
    out: &mut String,
) {
    let mark = overlay.states.get(&node.name);
    let members: Vec<String> = node.members.iter().map(|member| escaped(member)).collect();
    let _ = writeln!(
        out,
        "<g class=\"node {}{}\" data-state=\"{}\"{}>",
        colour(graph, node.group),
        overlaid(mark),
        escaped(&node.name),
        if members.is_empty() {
            String::new()
        } else {
            format!(" data-members=\"{}\"", members.join("\n"))
        }
    );
    let (left, top) = (
        placed.x - placed.width / 2.0,
        placed.y - placed.height / 2.0,
    );
    write_shape(node, placed, out);
    if node.initial {
        let (x, y) = (left - 16.0, top + 9.0);
        let _ = writeln!(
            out,
            "<circle class=\"begin\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"5\"/><path class=\"beginning\" d=\"M{x:.1} {y:.1}H{left:.1}\"/>"
        );
    }
    let inside = matches!(node.kind, GraphNodeKind::Simple | GraphNodeKind::Phase);
    let mut y = if inside {
        top + 22.0
    } else {
        placed.y + placed.height / 2.0 + 15.0
    };
    write_lines(
        out,
        placed.x,
        y,
        NAME,
        placed.name.iter().map(|line| (line.as_str(), "name")),
    );
    y += NAME * count(placed.name.len()) - 1.5;
    let small = placed
        .slots
        .iter()
        .chain(&placed.loops)
        .map(|line| (line.as_str(), "quiet"));
    write_lines(out, placed.x, y, SMALL, small);
    write_steps(mark, left + placed.width, top, out);
    let mut told = vec![node.name.clone()];
    told.extend(Some(node.goal.clone()).filter(|goal| !goal.is_empty()));
    told.extend(
        Some(node.required.join(", "))
            .filter(|slots| !slots.is_empty())
            .map(|slots| format!("collects {slots}")),
    );
    told.extend(node.at.clone());
    let told: Vec<String> = told.iter().map(|line| escaped(line)).collect();
    let _ = writeln!(out, "<title>{}</title></g>", told.join("\n"));
    write_port(graph, overlay, node, placed, out);
}

fn write_shape(node: &GraphNode, placed: &PlacedNode, out: &mut String) {
    let (x, y, width, height) = (placed.x, placed.y, placed.width, placed.height);
    let (left, top) = (x - width / 2.0, y - height / 2.0);
    match node.kind {
        GraphNodeKind::Choice => {
            let (right, bottom) = (x + width / 2.0, y + height / 2.0);
            let _ = writeln!(
                out,
                "<path class=\"shape\" d=\"M{x:.1} {top:.1}L{right:.1} {y:.1}L{x:.1} {bottom:.1}L{left:.1} {y:.1}Z\"/>"
            );
        }
        GraphNodeKind::Fork | GraphNodeKind::Join | GraphNodeKind::Parallel => {
            let _ = writeln!(
                out,
                "<rect class=\"shape bar\" x=\"{left:.1}\" y=\"{top:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" rx=\"3\"/>"
            );
        }
        GraphNodeKind::Simple | GraphNodeKind::Phase => {
            let frame = |class: &str, by: f64, out: &mut String| {
                let (width, height) = (width - by * 2.0, height - by * 2.0);
                let (left, top) = (left + by, top + by);
                let _ = writeln!(
                    out,
                    "<rect class=\"{class}\" x=\"{left:.1}\" y=\"{top:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" rx=\"6\"/>"
                );
            };
            frame("shape", 0.0, out);
            if node.is_final {
                frame("second", 3.5, out);
            }
        }
    }
}

/// The numbers of the turns that came to a node, or how often dialogues came, at its upper right corner.
fn write_steps(mark: Option<&OverlayMark>, right: f64, top: f64, out: &mut String) {
    let Some(mark) = mark else { return };
    let text = if mark.steps.is_empty() {
        passed_label(&mark.passed)
    } else {
        runs(&mark.steps)
    };
    if text.is_empty() {
        return;
    }
    let width = 6.5 * count(text.chars().count()) + 10.0;
    let _ = writeln!(
        out,
        "<g class=\"step\"><rect x=\"{:.1}\" y=\"{:.1}\" width=\"{width:.1}\" height=\"16\" rx=\"8\"/>\
         <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{text}</text></g>",
        right - width + 8.0,
        top - 8.0,
        right - width / 2.0 + 8.0,
        top + 4.0
    );
}

/// Numbers with runs told by their ends: 1, 3–5.
fn runs(numbers: &[usize]) -> String {
    let mut told: Vec<(usize, usize)> = Vec::new();
    for number in numbers {
        match told.last_mut() {
            Some((_, last)) if *last + 1 == *number => *last = *number,
            _ => told.push((*number, *number)),
        }
    }
    let run = |(first, last): &(usize, usize)| {
        if first == last {
            first.to_string()
        } else {
            format!("{first}–{last}")
        }
    };
    told.iter().map(run).joined(", ")
}

/// What leads to a node from nearly everywhere.
fn write_port(
    graph: &MachineGraph,
    overlay: &GraphOverlay,
    node: &GraphNode,
    placed: &PlacedNode,
    out: &mut String,
) {
    let Some(port) = &placed.port else { return };
    let to = graph.node_of(&node.name);
    let passed: Vec<String> = to
        .iter()
        .flat_map(|to| comes_from(graph, overlay, *to))
        .map(|(.., passed)| passed)
        .collect();
    let passed = passed.concat();
    let on = if passed.is_empty() { "" } else { " on" };
    let _ = writeln!(
        out,
        "<g class=\"port{on}\" data-to=\"{}\">",
        escaped(&node.name)
    );
    let lines = port
        .lines
        .iter()
        .map(|(line, quiet)| (line.as_str(), if *quiet { "quiet" } else { "" }));
    write_lines(out, port.x, port.y + 12.0, SMALL, lines);
    let (x, top, tip) = (
        port.x,
        port.y + port.height,
        placed.y - placed.height / 2.0 - 1.0,
    );
    let (left, right, base) = (x - 3.5, x + 3.5, tip - 7.0);
    if !passed.is_empty() {
        // At its right is what the node says itself.
        let aside = if placed.width < 20.0 { 12.0 } else { 6.0 };
        let (x, y) = (x - aside, f64::midpoint(top, tip) + 4.0);
        let _ = writeln!(
            out,
            "<text class=\"passed\" x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"end\">{passed}</text>"
        );
    }
    let shared = graph
        .shared
        .iter()
        .filter(|shared| Some(shared.to) == to)
        .flat_map(|shared| &shared.labels);
    let _ = writeln!(
        out,
        "<path class=\"stem\" d=\"M{x:.1} {top:.1}V{base:.1}\"/>\
         <path class=\"tip\" d=\"M{x:.1} {tip:.1}L{left:.1} {base:.1}H{right:.1}Z\"/><title>{}</title></g>",
        told(shared)
    );
}

/// The kinds of lines in a picture that do not explain themselves.
fn legend_kinds(graph: &MachineGraph, overlay: &GraphOverlay) -> Vec<(&'static str, &'static str)> {
    let has = |kind: EdgeKind| {
        graph
            .edges
            .iter()
            .any(|edge| edge.from != edge.to && edge.kind() == kind)
    };
    let kinds = [
        (EdgeKind::Digress, "objection, or a step aside"),
        (EdgeKind::Degrade, "where nothing else goes on"),
        (EdgeKind::Replan, "planned anew"),
    ];
    let sides = [
        (OverlaySide::A, "a", "only A"),
        (OverlaySide::B, "b", "only B"),
        (OverlaySide::Both, "both", "A and B"),
    ];
    let marks = || overlay.states.values().chain(overlay.edges.values());
    let is_there = |side: OverlaySide| marks().any(|mark| mark.side == Some(side));
    let sides = sides
        .into_iter()
        .filter(|(side, ..)| is_there(*side))
        .map(|(_, class, words)| (class, words));
    let kinds = kinds
        .into_iter()
        .filter(|(kind, _)| has(*kind))
        .map(|(kind, words)| (class_of(kind), words));
    let covered = [
        (Covered::Full, "c-full", "covered"),
        (Covered::Part, "c-part", "covered in part"),
        (Covered::Nothing, "c-none", "not covered"),
    ];
    let covered = covered
        .into_iter()
        .filter(|(covered, ..)| marks().any(|mark| mark.coverage == Some(*covered)));
    let covered = covered.map(|(_, class, words)| (class, words));
    let traffic = marks()
        .any(|mark| mark.traffic.is_some())
        .then_some(("w6", "the wider, the more turns went there"));
    kinds.chain(sides).chain(covered).chain(traffic).collect()
}

fn legend_width(kinds: &[(&str, &str)]) -> f64 {
    kinds
        .iter()
        .map(|(_, words)| 60.0 + 6.5 * count(words.len()))
        .sum::<f64>()
        + 40.0
}

fn write_legend(kinds: &[(&str, &str)], y: f64, out: &mut String) {
    let mut x = 20.0;
    for (class, words) in kinds {
        let (end, text, foot) = (x + 30.0, x + 38.0, y + 10.0);
        let _ = writeln!(
            out,
            "<g class=\"legend\"><path class=\"{class}\" d=\"M{x:.1} {:.1}H{end:.1}\"/>\
             <text x=\"{text:.1}\" y=\"{foot:.1}\">{words}</text></g>",
            y + 6.0
        );
        x += 60.0 + 6.5 * count(words.len());
    }
}

fn count(of: usize) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "lines and letters are few")]
    let count = of as f64;
    count
}
