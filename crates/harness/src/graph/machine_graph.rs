//! What is drawn of a machine.

use serde::Serialize;

use super::graph_edge::{GraphEdge, SharedEdge};
use super::graph_node::GraphNode;

/// More states than these are drawn as their phases.
const MOST_STATES: usize = 40;

/// What is drawn of a machine: states, the ways between them, and the columns in which they stand.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct MachineGraph {
    /// The name of the machine.
    pub name: String,
    /// The dialect it is written in.
    pub dialect: &'static str,
    /// What it is for.
    pub about: String,
    /// The columns, from left to right.
    pub groups: Vec<GraphGroup>,
    /// The states, in the order in which they are defined.
    pub nodes: Vec<GraphNode>,
    /// The ways between two states, each pair once.
    pub edges: Vec<GraphEdge>,
    /// The ways that nearly every state has.
    pub shared: Vec<SharedEdge>,
}

/// States that stand together.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct GraphGroup {
    /// The name of the phase; empty where there is none.
    pub name: String,
    /// What kind of column it is.
    pub kind: GroupKind,
}

/// What kind of column states stand in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum GroupKind {
    /// Before the phase that follows.
    Before,
    /// A phase.
    Phase,
    /// After all phases, or where there are none.
    Other,
}

impl MachineGraph {
    /// What is drawn where there is no place for all states: the phases instead, where there are some.
    pub fn overview(&self) -> Self {
        let phases = self
            .groups
            .iter()
            .filter(|group| group.kind == GroupKind::Phase)
            .count();
        if self.nodes.len() > MOST_STATES && phases > 1 {
            self.folded()
        } else {
            self.clone()
        }
    }

    /// The node that stands for a state.
    pub fn node_of(&self, state: &str) -> Option<usize> {
        self.nodes.iter().position(|node| {
            node.name == state || node.members.iter().any(|member| member == state)
        })
    }
}
