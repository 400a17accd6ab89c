//! A state as it is drawn.

use serde::Serialize;

/// A state as it is drawn, or a phase that stands for its states.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct GraphNode {
    /// Its name.
    pub name: String,
    /// What it is.
    pub kind: GraphNodeKind,
    /// Its column.
    pub group: usize,
    /// Dialogues begin here.
    pub initial: bool,
    /// Dialogues end here.
    pub is_final: bool,
    /// No way leads here from where dialogues begin.
    pub unreached: bool,
    /// The data that it must collect.
    pub required: Vec<String>,
    /// What it is for.
    pub goal: String,
    /// Where it is written.
    pub at: Option<String>,
    /// The state that it is inside of.
    pub inside: Option<String>,
    /// The states for which it stands, where it is a phase.
    pub members: Vec<String>,
}

/// What a state is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum GraphNodeKind {
    /// A place.
    #[default]
    Simple,
    /// Chooses a way.
    Choice,
    /// Starts branches.
    Fork,
    /// Waits for branches.
    Join,
    /// Starts its regions.
    Parallel,
    /// Stands for the states of a phase.
    Phase,
}
