//! A node of a diagram.

use serde::Serialize;

/// A node of a diagram: a state, or a phase that represents its states.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a separate property of a state"
)]
pub struct GraphNode {
    pub name: String,
    pub kind: GraphNodeKind,
    /// The index of the column.
    pub group: usize,
    /// Dialogues start here.
    pub initial: bool,
    /// Dialogues end here.
    pub is_final: bool,
    /// The state is part of an aside.
    pub aside: bool,
    /// The state is unreachable from the initial state.
    pub unreached: bool,
    /// The slots that the state must collect.
    pub required: Vec<String>,
    /// The goal of the state.
    pub goal: String,
    /// The location of the definition.
    pub at: Option<String>,
    /// The state that contains this one.
    pub inside: Option<String>,
    /// The states that the node represents, if it is a phase.
    pub members: Vec<String>,
}

/// The kind of a node.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum GraphNodeKind {
    /// A plain state.
    #[default]
    Simple,
    /// A node that chooses a transition.
    Choice,
    /// A node that starts branches.
    Fork,
    /// A node that waits for branches.
    Join,
    /// A node that starts its regions.
    Parallel,
    /// A node that represents the states of a phase.
    Phase,
}
