//! The transitions between two states in a diagram.

use serde::Serialize;
use strum::IntoStaticStr;

/// All transitions from one state to another.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct GraphEdge {
    /// The index of the source node.
    pub from: usize,
    /// The index of the target node.
    pub to: usize,
    /// The transitions, in the order in which they are tried.
    pub labels: Vec<EdgeLabel>,
}

/// A transition from nearly every state, or into an aside.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SharedEdge {
    /// The index of the target node.
    pub to: usize,
    /// The nodes that have the transition.
    pub from: Vec<usize>,
    /// The number of nodes that could have the transition.
    pub of: usize,
    pub labels: Vec<EdgeLabel>,
}

/// A single transition.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct EdgeLabel {
    /// The trigger.
    pub trigger: String,
    /// The condition; empty if the transition is unconditional.
    pub condition: String,
    pub kind: EdgeKind,
    /// The location of the definition.
    pub at: Option<String>,
    /// Every state that uses data has this transition, so the diagram shows it in the node instead of as an edge.
    #[serde(skip)]
    pub is_built_in: bool,
}

/// The kind of a transition.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, IntoStaticStr,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum EdgeKind {
    /// A plain transition.
    #[default]
    Move,
    /// A branch of a choice.
    Choice,
    /// The start of a branch.
    Fork,
    /// The end of a branch.
    Join,
    /// A fallback because data, patience or a language model is missing.
    Degrade,
    /// An objection, an aside or another digression.
    Digress,
    /// A return to an earlier state.
    Back,
    /// A return to plan again.
    Replan,
}

impl EdgeLabel {
    /// Adds the transition to a list, unless the list contains one with the same trigger and condition.
    pub(super) fn add_to(self, labels: &mut Vec<Self>) {
        let same =
            |other: &Self| other.trigger == self.trigger && other.condition == self.condition;
        if !labels.iter().any(same) {
            labels.push(self);
        }
    }
}

impl GraphEdge {
    /// The transitions to draw: all except the built-in ones.
    pub fn drawn(&self) -> Vec<EdgeLabel> {
        self.labels
            .iter()
            .filter(|label| !label.is_built_in)
            .cloned()
            .collect()
    }

    /// Whether to draw the edge. It must lead to another state, and not only by built-in transitions.
    pub fn is_drawn(&self) -> bool {
        self.from != self.to && self.labels.iter().any(|label| !label.is_built_in)
    }

    /// The kind of the edge: the first kind among its transitions, in the order of [`EdgeKind`].
    pub fn kind(&self) -> EdgeKind {
        self.labels
            .iter()
            .map(|label| label.kind)
            .min()
            .unwrap_or_default()
    }
}
