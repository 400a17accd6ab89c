//! The ways between two states as they are drawn.

use serde::Serialize;
use strum::IntoStaticStr;

/// All ways from one state to another.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct GraphEdge {
    /// The number of the node where they begin.
    pub from: usize,
    /// The number of the node where they end.
    pub to: usize,
    /// The ways, in the order in which they are tried.
    pub labels: Vec<EdgeLabel>,
}

/// A way that nearly every state has.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SharedEdge {
    /// The number of the node where it ends.
    pub to: usize,
    /// The nodes that have it.
    pub from: Vec<usize>,
    /// How many could have it.
    pub of: usize,
    /// The ways.
    pub labels: Vec<EdgeLabel>,
}

/// One way.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct EdgeLabel {
    /// What it takes.
    pub trigger: String,
    /// When it is taken; empty where always.
    pub condition: String,
    /// What it is.
    pub kind: EdgeKind,
    /// Where it is written.
    pub at: Option<String>,
    /// Every state has it that uses data, so a picture marks it at the state and draws no line.
    #[serde(skip)]
    pub is_built_in: bool,
}

/// What a way is.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, IntoStaticStr,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum EdgeKind {
    /// A move.
    #[default]
    Move,
    /// A way of a choice.
    Choice,
    /// The start of a branch.
    Fork,
    /// The end of a branch.
    Join,
    /// Taken where nothing else goes on: data, patience or a model is missing.
    Degrade,
    /// An objection, or another step aside.
    Digress,
    /// A step back.
    Back,
    /// What was done is planned anew.
    Replan,
}

impl EdgeLabel {
    /// Adds the way to others, unless one of them takes the same under the same condition.
    pub(super) fn add_to(self, labels: &mut Vec<Self>) {
        let same =
            |other: &Self| other.trigger == self.trigger && other.condition == self.condition;
        if !labels.iter().any(same) {
            labels.push(self);
        }
    }
}

impl GraphEdge {
    /// The ways that are drawn: all but those that are built in.
    pub fn drawn(&self) -> Vec<EdgeLabel> {
        let labels = self.labels.iter();
        labels.filter(|label| !label.is_built_in).cloned().collect()
    }

    /// Whether a line is drawn: it leads elsewhere, by a way that is not built in.
    pub fn is_drawn(&self) -> bool {
        self.from != self.to && self.labels.iter().any(|label| !label.is_built_in)
    }

    /// What all its ways are, or what the first is where they differ: a move before all else.
    pub fn kind(&self) -> EdgeKind {
        self.labels
            .iter()
            .map(|label| label.kind)
            .min()
            .unwrap_or_default()
    }
}
