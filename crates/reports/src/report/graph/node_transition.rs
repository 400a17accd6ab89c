//! The outgoing transitions of a state, in display order.

use super::mark_label;
use fsmsim_harness::graph::{Covered, EdgeKind, GraphNodeKind, GraphOverlay, MachineGraph};

/// Transitions to one state with the same condition.
#[derive(Debug)]
pub(crate) struct NodeTransition<'g> {
    /// The events that trigger the transitions. Empty if the condition alone decides.
    pub triggers: Vec<&'g str>,
    /// The condition as text. Empty if unconditional.
    pub when: String,
    /// The kind. `None` for plain transitions.
    pub kind: Option<&'static str>,
    /// The target node; `None` if the dialogue stays in the state.
    pub to: Option<usize>,
    /// The passes of each trace, unless an earlier transition to the same state shows them.
    pub passed: Vec<u64>,
    /// The coverage, unless an earlier transition to the same state shows it.
    pub covered: Option<Covered>,
}

impl NodeTransition<'_> {
    /// The overlay as text.
    pub(crate) fn mark(&self) -> String {
        mark_label(&self.passed, self.covered)
    }
}

/// The outgoing transitions of a node. Self-transitions come last.
pub(crate) fn ways_of<'g>(
    graph: &'g MachineGraph,
    overlay: &GraphOverlay,
    from: usize,
) -> Vec<NodeTransition<'g>> {
    let mut ways = Vec::new();

    let (stays, leads): (Vec<_>, Vec<_>) = graph
        .edges
        .iter()
        .filter(|edge| edge.from == from)
        .partition(|edge| edge.from == edge.to);
    for edge in leads.into_iter().chain(stays) {
        let mut groups: Vec<(&str, EdgeKind, Vec<&str>)> = Vec::new();
        for label in &edge.labels {
            let same = groups
                .iter_mut()
                .find(|(condition, kind, _)| *condition == label.condition && *kind == label.kind);
            match same {
                Some((.., triggers)) => triggers.push(&label.trigger),
                None => groups.push((&label.condition, label.kind, vec![&label.trigger])),
            }
        }
        let mark = overlay.edge(graph.name_of(edge.from), graph.name_of(edge.to));
        let mut passed = mark.map(|mark| mark.passed.clone()).unwrap_or_default();
        let mut covered = mark.and_then(|mark| mark.coverage);
        ways.extend(groups.into_iter().map(|(condition, kind, mut triggers)| {
            triggers.retain(|trigger| !trigger.is_empty());
            let when = match condition {
                "" | "otherwise" => condition.to_owned(),
                condition => format!("when {condition}"),
            };
            let to = (edge.from != edge.to).then_some(edge.to);
            // Traces contain source and target states, but not which of several transitions between them was taken.
            NodeTransition {
                triggers,
                when,
                kind: kind_in_words(kind),
                to,
                passed: std::mem::take(&mut passed),
                covered: covered.take(),
            }
        }));
    }
    ways
}

/// The kind of a transition; `None` for plain transitions.
fn kind_in_words(kind: EdgeKind) -> Option<&'static str> {
    match kind {
        EdgeKind::Move | EdgeKind::Choice => None,
        EdgeKind::Fork => Some("branch"),
        EdgeKind::Join => Some("join"),
        EdgeKind::Degrade => Some("fallback"),
        EdgeKind::Digress => Some("digress"),
        EdgeKind::Back => Some("back"),
        EdgeKind::Replan => Some("replan"),
    }
}

/// The kind of a state; `None` for plain states.
pub(crate) fn kind_of_node(kind: GraphNodeKind) -> Option<&'static str> {
    match kind {
        GraphNodeKind::Simple | GraphNodeKind::Phase => None,
        GraphNodeKind::Choice => Some("choice"),
        GraphNodeKind::Fork => Some("fork"),
        GraphNodeKind::Join => Some("join"),
        GraphNodeKind::Parallel => Some("parallel"),
    }
}
