//! The graph of a machine.

use serde::Serialize;

use super::graph_edge::{GraphEdge, SharedEdge};
use super::graph_node::GraphNode;

/// A machine with more states is drawn as its phases.
const MAX_STATES: usize = 40;

/// The graph of a machine: states, transitions and columns.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct MachineGraph {
    pub name: String,
    /// The dialect of its definition.
    pub dialect: &'static str,
    /// Its description.
    pub about: String,
    /// The columns, from left to right.
    pub groups: Vec<GraphGroup>,
    /// The states, in definition order.
    pub nodes: Vec<GraphNode>,
    /// The transitions, combined for each pair of states.
    pub edges: Vec<GraphEdge>,
    /// The transitions that nearly every state has.
    pub shared: Vec<SharedEdge>,
}

/// A column of states.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct GraphGroup {
    /// The name of the phase; empty for other columns.
    pub name: String,
    pub kind: GroupKind,
}

/// The kind of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum GroupKind {
    /// States before the phase that follows.
    Before,
    /// A phase.
    Phase,
    /// After all phases, or in a machine without phases.
    Other,
}

impl MachineGraph {
    /// The graph to draw if space is limited: the phases instead of many states.
    pub fn overview(&self) -> Self {
        let phases = self
            .groups
            .iter()
            .filter(|group| group.kind == GroupKind::Phase)
            .count();
        if self.nodes.len() > MAX_STATES && phases > 1 {
            self.folded()
        } else {
            self.clone()
        }
    }

    /// The node that represents a state.
    pub fn node_of(&self, state: &str) -> Option<usize> {
        self.nodes.iter().position(|node| {
            node.name == state || node.members.iter().any(|member| member == state)
        })
    }
}
