//! The graph of a machine.

use serde::Serialize;

use super::graph_edge::{GraphEdge, SharedEdge};
use super::graph_node::GraphNode;

/// The number of states above which a machine is drawn as its phases.
const MAX_STATES: usize = 40;

/// The graph of a machine: states, transitions and columns.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct MachineGraph {
    pub name: String,
    /// The dialect in which the machine is written.
    pub dialect: &'static str,
    /// The description of the machine.
    pub about: String,
    /// The columns, from left to right.
    pub groups: Vec<GraphGroup>,
    /// The states, in the order of their definitions.
    pub nodes: Vec<GraphNode>,
    /// The transitions, combined for each pair of states.
    pub edges: Vec<GraphEdge>,
    /// The transitions that nearly every state has, and those into asides.
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
    /// The states before the following phase.
    Before,
    /// The states of a phase.
    Phase,
    /// The states after all phases, or all states of a machine without phases.
    Other,
}

impl MachineGraph {
    /// The graph to draw if space is limited: phases instead of many states.
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

    /// The name of the node with this index.
    pub fn name_of(&self, node: usize) -> &str {
        self.nodes.get(node).map_or("", |node| &node.name)
    }

    /// The index of the node that represents a state.
    pub fn node_of(&self, state: &str) -> Option<usize> {
        self.nodes.iter().position(|node| {
            node.name == state || node.members.iter().any(|member| member == state)
        })
    }
}
