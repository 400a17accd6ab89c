//! An imported flow before it is written as YAML.

use indexmap::{IndexMap, IndexSet};

use super::statechart::GuardTerm;
use fsmsim_core::machine::History;

#[derive(Debug, Default)]
pub(super) struct FlowPlan {
    pub name: String,
    pub initial: String,
    /// The initial data of a dialogue, with values in YAML syntax.
    pub slots: IndexMap<String, String>,
    /// The conditions, each with the slot that it tests.
    pub conditions: IndexMap<String, String>,
    pub events: IndexSet<String>,
    pub states: IndexMap<String, StatePlan>,
    /// Descriptions of intents.
    pub meanings: IndexMap<String, String>,
}

#[derive(Debug, Default)]
pub(super) struct StatePlan {
    pub goal: Option<String>,
    pub shape: StateShape,
    /// Maps intents to transitions. The first transition whose conditions are true is taken.
    pub moves: IndexMap<String, Vec<TransitionPlan>>,
    pub is_final: bool,
    pub history: Option<History>,
    pub region: Option<String>,
}

/// The kind of a state.
#[derive(Debug, Default)]
pub(super) enum StateShape {
    #[default]
    Place,
    /// Continues immediately. Only the last branch has no condition.
    Choice(Vec<TransitionPlan>),
    /// Starts regions that are joined later.
    Parallel {
        regions: Vec<RegionPlan>,
        join_at: String,
    },
}

#[derive(Clone, Debug)]
pub(super) struct RegionPlan {
    pub name: String,
    pub initial: String,
    /// The intents that the region handles.
    pub handles: Vec<String>,
}

/// A transition with its conditions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct TransitionPlan {
    /// The conditions that must all be true.
    pub when: Vec<GuardTerm>,
    pub then: String,
}

impl TransitionPlan {
    /// A transition without conditions.
    pub(super) fn to(then: &str) -> Self {
        Self {
            when: Vec::new(),
            then: then.to_owned(),
        }
    }
}
