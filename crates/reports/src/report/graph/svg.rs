//! A diagram of a machine as SVG: the template defines the shapes, this module their positions.

use std::fmt::Write;
use std::io;

use minijinja::{Value, context};

use super::{comes_from, condition_words, covered_words, passed_label};
use crate::report::grid::escaped;
use crate::report::template::rendered;
use fsmsim_harness::graph::{
    Covered, EdgeKind, EdgeLabel, GraphDirection, GraphLayout, GraphNode, GraphNodeKind,
    GraphOverlay, MachineGraph, OverlayMark, OverlaySide, PlacedEdge, PlacedNode, TextBlock,
};
use fsmsim_syntax::terminal::Joined;

/// The number of phase colors. The ninth phase reuses the first color.
const PHASE_COLORS: usize = 8;

/// The line height of names.
const NAME: f64 = 17.0;

/// The line height of other text.
const SMALL: f64 = 14.0;

/// The height of the legend.
const LEGEND: f64 = 26.0;

/// The context in which an SVG is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SvgUse {
    /// A separate file, which contains its styles.
    Alone,
    /// A part of a page, which contains the styles.
    Inside,
}

/// Writes the overview of a machine as a part of a page.
pub(crate) fn overview_svg(graph: &MachineGraph) -> io::Result<String> {
    let overlay = GraphOverlay::default();
    write_svg(
        &graph.overview(),
        &overlay,
        GraphDirection::Right,
        SvgUse::Inside,
    )
}

/// Writes a diagram of a machine.
pub fn write_svg(
    graph: &MachineGraph,
    overlay: &GraphOverlay,
    direction: GraphDirection,
    context_of_use: SvgUse,
) -> io::Result<String> {
    let layout = GraphLayout::of(graph, direction);
    let kinds = legend_kinds(graph, overlay);
    let width = layout.width.max(legend_width(&kinds));
    let legend_height = if kinds.is_empty() { 0.0 } else { LEGEND };
    let style = concat!(
        include_str!("../page/tokens.css"),
        include_str!("../page/graph.css")
    );
    let groups = layout.groups.iter().map(|group| {
        let lines = group.name.iter().map(|line| (line.as_str(), ""));
        context! {
            colour => phase_class(graph, group.group),
            name => graph.groups.get(group.group).map(|group| &group.name),
            x => group.x,
            y => group.y,
            width => group.width,
            height => group.height,
            lines => text_lines(group.name_at, 15.0, lines),
        }
    });
    let edges = layout.edges.iter();
    let nodes = graph.nodes.iter().zip(&layout.nodes);
    let content = context! {
        width => format!("{width:.0}"),
        height => format!("{:.0}", layout.height + legend_height),
        name => &graph.name,
        description => description(graph),
        style => (context_of_use == SvgUse::Alone).then_some(style),
        groups => groups.collect::<Value>(),
        edges => edges.filter_map(|edge| edge_view(graph, overlay, direction, edge)).collect::<Value>(),
        nodes => nodes.map(|(node, placed)| node_view(graph, overlay, direction, node, placed)).collect::<Value>(),
        legend => legend(&kinds, layout.height),
    };
    rendered(include_str!("picture.svg"), content)
}

/// The description for screen readers.
fn description(graph: &MachineGraph) -> String {
    let initial = graph
        .nodes
        .iter()
        .find(|node| node.initial)
        .map(|node| format!(", initial state {}", node.name));
    let finals = graph
        .nodes
        .iter()
        .filter(|node| node.is_final)
        .map(|node| &node.name)
        .joined(", ");
    let ends = if finals.is_empty() {
        String::new()
    } else {
        format!(", final: {finals}")
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

/// Lines of text below each other, each with its class. `y` is the baseline of the first line.
fn text_lines<'t>(
    (x, mut y): (f64, f64),
    height: f64,
    lines: impl IntoIterator<Item = (&'t str, &'t str)>,
) -> String {
    let mut out = String::new();
    for (line, class) in lines {
        let class = if class.is_empty() {
            String::new()
        } else {
            format!(" class=\"{class}\"")
        };
        let _ = writeln!(
            out,
            "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"middle\"{class}>{}</text>",
            escaped(line)
        );
        y += height;
    }
    out
}

/// The lines of a block. `foot` is the distance from its top to the first baseline.
fn block_lines(block: &TextBlock, foot: f64) -> String {
    let class = |quiet: bool| if quiet { "quiet" } else { "" };
    let lines = block
        .lines
        .iter()
        .map(|(line, quiet)| (line.as_str(), class(*quiet)));
    text_lines((block.x, block.y + foot), SMALL, lines)
}

/// The CSS class with the color of a group.
fn phase_class(graph: &MachineGraph, group: usize) -> String {
    let phases = graph
        .groups
        .iter()
        .enumerate()
        .filter(|(_, group)| !group.name.is_empty());
    let index = phases
        .map(|(number, _)| number)
        .position(|number| number == group);
    index.map_or_else(
        || "none".to_owned(),
        |index| format!("c{}", index % PHASE_COLORS),
    )
}

/// The tooltip of an edge.
fn tooltip<'t>(labels: impl IntoIterator<Item = &'t EdgeLabel>) -> String {
    let line = |label: &EdgeLabel| {
        let condition = match condition_words(label) {
            words if words.is_empty() => words,
            words => format!(" {words}"),
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

/// The CSS classes of an overlay mark.
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
    let side = mark.side.map(<&str>::from);
    for class in mark.coverage.map(covered_class).into_iter().chain(side) {
        classes.push(' ');
        classes.push_str(class);
    }
    classes
}

fn covered_class(covered: Covered) -> &'static str {
    match covered {
        Covered::Full => "c-full",
        Covered::Part => "c-part",
        Covered::Nothing => "c-none",
    }
}

/// An edge with its label.
fn edge_view(
    graph: &MachineGraph,
    overlay: &GraphOverlay,
    direction: GraphDirection,
    edge: &PlacedEdge,
) -> Option<Value> {
    let drawn = graph.edges.get(edge.edge)?;
    let end = *edge.points.last()?;
    let from = graph.name_of(drawn.from);
    let to = graph.name_of(drawn.to);
    let mark = overlay.edge(from, to);
    let kind: &str = drawn.kind().into();
    let block = &edge.label;
    let label = (!block.lines.is_empty()).then(|| {
        context! {
            left => block.x - block.width / 2.0,
            y => block.y,
            width => block.width,
            height => block.height,
            lines => block_lines(block, 12.5),
        }
    });
    Some(context! {
        from,
        to,
        class => format!("{kind}{}", overlaid(mark)),
        path => path(&edge.points, direction),
        tip => tip(end, if edge.backward { 7.0 } else { -7.0 }, direction),
        // The number of passes is to the right of the label, where no other line runs.
        passed => mark.map(|mark| passed_label(&mark.passed)),
        count_x => block.x + block.width / 2.0 + 2.0,
        count_y => block.y + block.height / 2.0 - 4.0,
        tooltip => tooltip(&drawn.drawn()),
        label,
    })
}

/// A path whose segments are alternately straight lines and curves.
fn path(points: &[(f64, f64)], direction: GraphDirection) -> String {
    let begin = points.first();
    let mut path = begin.map_or_else(String::new, |(x, y)| format!("M{x:.1} {y:.1}"));
    for (number, stretch) in points.windows(2).enumerate() {
        let [(x, y), (to_x, to_y)] = stretch else {
            continue;
        };
        let _ = match direction {
            _ if number % 2 == 0 => write!(path, "L{to_x:.1} {to_y:.1}"),
            GraphDirection::Right => {
                let middle = f64::midpoint(*x, *to_x);
                write!(
                    path,
                    "C{middle:.1} {y:.1} {middle:.1} {to_y:.1} {to_x:.1} {to_y:.1}"
                )
            }
            GraphDirection::Down => {
                let middle = f64::midpoint(*y, *to_y);
                write!(
                    path,
                    "C{x:.1} {middle:.1} {to_x:.1} {middle:.1} {to_x:.1} {to_y:.1}"
                )
            }
        };
    }
    path
}

/// An arrowhead that ends at a point; `base` is the signed distance to its base along the direction.
fn tip((x, y): (f64, f64), base: f64, direction: GraphDirection) -> String {
    match direction {
        GraphDirection::Right => {
            let base = x + base;
            format!("M{x:.1} {y:.1}L{base:.1} {:.1}V{:.1}Z", y - 3.5, y + 3.5)
        }
        GraphDirection::Down => {
            let base = y + base;
            format!("M{x:.1} {y:.1}L{:.1} {base:.1}H{:.1}Z", x - 3.5, x + 3.5)
        }
    }
}

fn node_view(
    graph: &MachineGraph,
    overlay: &GraphOverlay,
    direction: GraphDirection,
    node: &GraphNode,
    placed: &PlacedNode,
) -> Value {
    let mark = overlay.states.get(&node.name);
    let width = placed.width;
    let height = placed.height;
    let left = placed.x - width / 2.0;
    let top = placed.y - height / 2.0;
    let right = placed.x + width / 2.0;
    let bottom = placed.y + height / 2.0;
    let shape = match node.kind {
        GraphNodeKind::Choice => "diamond",
        GraphNodeKind::Fork | GraphNodeKind::Join | GraphNodeKind::Parallel => "bar",
        GraphNodeKind::Simple | GraphNodeKind::Phase => "box",
    };
    let (name_x, name_y) = placed.name_at;
    let names = placed.name.iter().map(|line| (line.as_str(), "name"));
    let names = text_lines(placed.name_at, NAME, names);
    let small = placed
        .slots
        .iter()
        .chain(&placed.loops)
        .chain(&placed.built_in)
        .map(|line| (line.as_str(), "quiet"));
    let below = name_y + (NAME * count(placed.name.len()) - 1.5);
    // The turn numbers or the number of passes are at the upper right corner.
    let steps = mark.map(|mark| match &*mark.steps {
        [] => passed_label(&mark.passed),
        steps => runs(steps),
    });
    let steps = steps.unwrap_or_default();
    let members = node.members.iter().map(|member| escaped(member));
    let mut tooltip = vec![escaped(&node.name)];
    tooltip.extend((!node.goal.is_empty()).then(|| escaped(&node.goal)));
    let slots = node.required.join(", ");
    tooltip.extend((!slots.is_empty()).then(|| escaped(&format!("collects {slots}"))));
    tooltip.extend(node.at.as_deref().map(escaped));
    let number = graph.node_of(&node.name);
    for edge in graph.edges.iter().filter(|edge| Some(edge.from) == number) {
        let built_in = edge.labels.iter().filter(|label| label.is_built_in);
        let triggers = built_in.map(|label| &*label.trigger).joined(", ");
        if !triggers.is_empty() {
            let to = graph.name_of(edge.to);
            tooltip.push(escaped(&format!("built in: {triggers} → {to}")));
        }
    }
    // The start marker is in front of the node, near the start of its side.
    let begin = match direction {
        GraphDirection::Right => (left - 16.0, top + 9.0),
        GraphDirection::Down => (left + 9.0, top - 16.0),
    };
    context! {
        name => &node.name,
        class => phase_class(graph, node.group) + &overlaid(mark),
        // XML normalizes a plain line break in an attribute to a space.
        members => members.joined("&#10;"),
        shape,
        is_final => node.is_final,
        initial => node.initial,
        x => placed.x,
        y => placed.y,
        width,
        height,
        left,
        top,
        right,
        bottom,
        begin,
        lines => names + &text_lines((name_x, below), SMALL, small),
        steps_width => 6.5 * count(steps.chars().count()) + 10.0,
        steps,
        tooltip => tooltip.join("\n"),
        port => port_view(graph, overlay, direction, node, placed),
    }
}

/// Numbers with ranges: 1, 3–5.
fn runs(numbers: &[usize]) -> String {
    let mut ranges: Vec<(usize, usize)> = Vec::new();
    for number in numbers {
        match ranges.last_mut() {
            Some((_, last)) if *last + 1 == *number => *last = *number,
            _ => ranges.push((*number, *number)),
        }
    }
    let run = |(first, last): &(usize, usize)| {
        if first == last {
            first.to_string()
        } else {
            format!("{first}–{last}")
        }
    };
    ranges.iter().map(run).joined(", ")
}

/// The transitions to a node from almost all states.
fn port_view(
    graph: &MachineGraph,
    overlay: &GraphOverlay,
    direction: GraphDirection,
    node: &GraphNode,
    placed: &PlacedNode,
) -> Option<Value> {
    let port = placed.port.as_ref()?;
    let to = graph.node_of(&node.name);
    let comes = to.iter().flat_map(|to| comes_from(graph, overlay, *to));
    // The count must not overlap the text of the port or the node.
    let aside = if placed.width < 20.0 { 12.0 } else { 6.0 };
    let (begin, end, counted) = match direction {
        GraphDirection::Right => {
            let top = port.y + port.height;
            let end = placed.y - placed.height / 2.0 - 1.0;
            let middle = f64::midpoint(top, end) + 4.0;
            ((port.x, top), (port.x, end), (port.x - aside, middle))
        }
        GraphDirection::Down => {
            let left = port.x + port.width / 2.0;
            let end = placed.x - placed.width / 2.0 - 1.0;
            ((left, placed.y), (end, placed.y), (end, placed.y - 6.0))
        }
    };
    // A port is perpendicular to the direction.
    let across = match direction {
        GraphDirection::Right => GraphDirection::Down,
        GraphDirection::Down => GraphDirection::Right,
    };
    let shared = graph.shared.iter().filter(|shared| Some(shared.to) == to);
    Some(context! {
        begin,
        end,
        tip => tip(end, -7.0, across),
        passed => comes.map(|(.., passed)| passed).collect::<String>(),
        counted,
        lines => block_lines(port, 12.0),
        tooltip => tooltip(shared.flat_map(|shared| &shared.labels)),
    })
}

/// The kinds of lines in a diagram that the legend must explain.
fn legend_kinds(graph: &MachineGraph, overlay: &GraphOverlay) -> Vec<(&'static str, &'static str)> {
    let kinds = [
        (EdgeKind::Digress, "digression"),
        (EdgeKind::Degrade, "fallback"),
        (EdgeKind::Replan, "replan"),
    ];
    let sides = [
        (OverlaySide::A, "only A"),
        (OverlaySide::B, "only B"),
        (OverlaySide::Both, "A and B"),
    ];
    let lines = graph.edges.iter().filter(|edge| edge.is_drawn());
    let marks = || overlay.states.values().chain(overlay.edges.values());
    let kinds = kinds
        .into_iter()
        .filter(|(kind, _)| lines.clone().any(|edge| edge.kind() == *kind));
    let sides = sides
        .into_iter()
        .filter(|(side, _)| marks().any(|mark| mark.side == Some(*side)));
    let covered = [Covered::Full, Covered::Part, Covered::Nothing]
        .into_iter()
        .filter(|covered| marks().any(|mark| mark.coverage == Some(*covered)));
    let traffic = marks().any(|mark| mark.traffic.is_some());
    let traffic = traffic.then_some(("w6", "wider: more turns"));
    kinds
        .map(|(kind, words)| (kind.into(), words))
        .chain(sides.map(|(side, words)| (side.into(), words)))
        .chain(covered.map(|covered| (covered_class(covered), covered_words(covered))))
        .chain(traffic)
        .collect()
}

fn legend_width(kinds: &[(&str, &str)]) -> f64 {
    kinds
        .iter()
        .map(|(_, words)| 60.0 + 6.5 * count(words.len()))
        .sum::<f64>()
        + 40.0
}

fn legend(kinds: &[(&str, &str)], y: f64) -> Vec<Value> {
    let mut x = 20.0;
    let kinds = kinds.iter().map(|(class, words)| {
        let kind = context! { class => *class, words => *words, x, y };
        x += 60.0 + 6.5 * count(words.len());
        kind
    });
    kinds.collect()
}

fn count(of: usize) -> f64 {
    #[expect(
        clippy::cast_precision_loss,
        reason = "small numbers of lines and characters"
    )]
    let count = of as f64;
    count
}
