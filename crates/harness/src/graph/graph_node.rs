//! A node of a diagram.

use serde::Serialize;

/// A node of a diagram: a state, or a phase that represents its states.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct GraphNode {
    pub name: String,
    pub kind: GraphNodeKind,
    /// The index of its column.
    pub group: usize,
    /// Dialogues start here.
    pub initial: bool,
    /// Dialogues end here.
    pub is_final: bool,
    /// It is unreachable from the initial state.
    pub unreached: bool,
    /// The slots that it must collect.
    pub required: Vec<String>,
    /// Its goal.
    pub goal: String,
    /// The location of its definition.
    pub at: Option<String>,
    /// The state that contains it.
    pub inside: Option<String>,
    /// The states that it represents, if it is a phase.
    pub members: Vec<String>,
}

/// The kind of a node.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum GraphNodeKind {
    /// A plain state.
    #[default]
    Simple,
    /// Chooses a transition.
    Choice,
    /// Starts branches.
    Fork,
    /// Waits for branches.
    Join,
    /// Starts its regions.
    Parallel,
    /// Represents the states of a phase.
    Phase,
}
