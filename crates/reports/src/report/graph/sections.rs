//! The states of a machine in display sections.

use super::{kind_of_node, label_text, passed_label};
use fsmsim_harness::graph::{GraphNode, GraphOverlay, GroupKind, MachineGraph};
use fsmsim_syntax::terminal::printable;

/// States of one section.
pub(crate) struct GraphSection<'g> {
    /// The title of the section. May be empty.
    pub title: String,
    /// The states, each with its number.
    pub states: Vec<(usize, &'g GraphNode)>,
}

/// The states by phase; unreachable states come last.
pub(crate) fn sections_of(graph: &MachineGraph) -> Vec<GraphSection<'_>> {
    let nodes = |holds: &dyn Fn(&GraphNode) -> bool| {
        graph
            .nodes
            .iter()
            .enumerate()
            .filter(|(_, node)| holds(node))
            .collect()
    };
    let mut sections: Vec<GraphSection<'_>> = Vec::new();
    for (number, group) in graph.groups.iter().enumerate() {
        let title = match group.kind {
            GroupKind::Phase => group.name.clone(),
            GroupKind::Before => {
                let next = graph.groups.get(number + 1).map_or("", |group| &group.name);
                format!("before {next}")
            }
            GroupKind::Other if graph.groups.len() > 1 => "without a phase".to_owned(),
            GroupKind::Other => String::new(),
        };
        sections.push(GraphSection {
            title,
            states: nodes(&|node| node.group == number && !node.unreached),
        });
    }
    sections.push(GraphSection {
        title: "unreachable".to_owned(),
        states: nodes(&|node| node.unreached),
    });
    sections.retain(|section| !section.states.is_empty());
    sections
}

/// The properties of a state, as text.
pub(crate) fn about_node(node: &GraphNode) -> Vec<String> {
    let mut about = Vec::new();
    about.extend(node.initial.then(|| "initial".to_owned()));
    about.extend(node.is_final.then(|| "final".to_owned()));
    about.extend(node.aside.then(|| "aside".to_owned()));
    about.extend(kind_of_node(node.kind).map(str::to_owned));
    about.extend(
        node.inside
            .as_ref()
            .map(|outer| format!("inside {}", printable(outer))),
    );
    about.extend(
        (!node.required.is_empty())
            .then(|| format!("collects {}", printable(&node.required.join(", ")))),
    );
    about
}

/// The transitions to a node from almost all states: the number of source states, the labels, and the passes.
pub(crate) fn comes_from(
    graph: &MachineGraph,
    overlay: &GraphOverlay,
    to: usize,
) -> Vec<(String, Vec<String>, String)> {
    let is_drawn = |from: usize| {
        graph
            .edges
            .iter()
            .any(|edge| (edge.from, edge.to) == (from, to))
    };
    let shared = graph.shared.iter().filter(|shared| shared.to == to);
    let rows = shared.map(|shared| {
        let labels = shared
            .labels
            .iter()
            .map(|label| printable(&label_text(label)))
            .collect();
        // Transitions that are drawn separately show their own passes.
        let from = shared.from.iter().filter(|from| !is_drawn(**from));
        let marks = from.filter_map(|from| overlay.edge(graph.name_of(*from), graph.name_of(to)));
        let mut passed: Vec<u64> = Vec::new();
        for mark in marks {
            passed.resize(passed.len().max(mark.passed.len()), 0);
            passed
                .iter_mut()
                .zip(&mark.passed)
                .for_each(|(sum, count)| *sum += count);
        }
        (
            format!("from {} of {} states", shared.from.len(), shared.of),
            labels,
            passed_label(&passed),
        )
    });
    rows.collect()
}
