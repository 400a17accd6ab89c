//! The ways out of a state, in the order in which they are told.

use super::mark_label;
use fsmsim_harness::graph::{Covered, EdgeKind, GraphNodeKind, GraphOverlay, MachineGraph};

/// Ways to one state that are taken under the same condition.
#[derive(Debug)]
pub(crate) struct NodeWay<'g> {
    /// What they take; nothing where the condition alone decides.
    pub(crate) triggers: Vec<&'g str>,
    /// When they are taken, in words; empty where always.
    pub(crate) when: String,
    /// What they are, where that is not plain.
    pub(crate) kind: Option<&'static str>,
    /// The number of the node to which they lead; nothing where the dialogue stays.
    pub(crate) to: Option<usize>,
    /// How often each trace went this way, where it is not told at a way before.
    pub(crate) passed: Vec<u64>,
    /// What was covered of this way, where it is not told at a way before.
    pub(crate) covered: Option<Covered>,
}

impl NodeWay<'_> {
    /// What lies over it, in words.
    pub(crate) fn mark(&self) -> String {
        mark_label(&self.passed, self.covered)
    }
}

/// The ways out of a node. What stays comes last: it is less of a way.
pub(crate) fn ways_of<'g>(
    graph: &'g MachineGraph,
    overlay: &GraphOverlay,
    from: usize,
) -> Vec<NodeWay<'g>> {
    let mut ways = Vec::new();
    let name = |node: usize| {
        graph
            .nodes
            .get(node)
            .map(|node| node.name.clone())
            .unwrap_or_default()
    };
    let (stays, leads): (Vec<_>, Vec<_>) = graph
        .edges
        .iter()
        .filter(|edge| edge.from == from)
        .partition(|edge| edge.from == edge.to);
    for edge in leads.into_iter().chain(stays) {
        let mut told: Vec<(&str, EdgeKind, Vec<&str>)> = Vec::new();
        for label in &edge.labels {
            let same = told
                .iter_mut()
                .find(|(condition, kind, _)| *condition == label.condition && *kind == label.kind);
            match same {
                Some((.., triggers)) => triggers.push(&label.trigger),
                None => told.push((&label.condition, label.kind, vec![&label.trigger])),
            }
        }
        let mark = overlay.edges.get(&(name(edge.from), name(edge.to)));
        let mut passed = mark.map(|mark| mark.passed.clone()).unwrap_or_default();
        let mut covered = mark.and_then(|mark| mark.coverage);
        ways.extend(told.into_iter().map(|(condition, kind, mut triggers)| {
            triggers.retain(|trigger| !trigger.is_empty());
            let when = match condition {
                "" | "otherwise" => condition.to_owned(),
                condition => format!("when {condition}"),
            };
            let to = (edge.from != edge.to).then_some(edge.to);
            // Traces tell from where to where, and not by which of the ways between the two.
            NodeWay {
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

/// What a way is, where that is not plain.
fn kind_in_words(kind: EdgeKind) -> Option<&'static str> {
    match kind {
        EdgeKind::Move | EdgeKind::Choice => None,
        EdgeKind::Fork => Some("branch"),
        EdgeKind::Join => Some("end of the branch"),
        EdgeKind::Degrade => Some("where nothing else goes on"),
        EdgeKind::Digress => Some("aside"),
        EdgeKind::Back => Some("back"),
        EdgeKind::Replan => Some("planned anew"),
    }
}

/// What a state is, where it is no plain place.
pub(crate) fn kind_of_node(kind: GraphNodeKind) -> Option<&'static str> {
    match kind {
        GraphNodeKind::Simple | GraphNodeKind::Phase => None,
        GraphNodeKind::Choice => Some("choice"),
        GraphNodeKind::Fork => Some("fork"),
        GraphNodeKind::Join => Some("join"),
        GraphNodeKind::Parallel => Some("starts its regions"),
    }
}
