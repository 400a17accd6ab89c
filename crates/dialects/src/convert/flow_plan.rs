//! The plan of an imported flow.

use indexmap::{IndexMap, IndexSet};

use super::chart::GuardTerm;
use fsmsim_core::machine::History;

#[derive(Debug, Default)]
pub(super) struct FlowPlan {
    pub(super) name: String,
    pub(super) initial: String,
    /// The initial data of a dialogue, with values in YAML syntax.
    pub(super) slots: IndexMap<String, String>,
    /// The conditions, each with the slot that it tests.
    pub(super) conditions: IndexMap<String, String>,
    pub(super) events: IndexSet<String>,
    pub(super) states: IndexMap<String, StatePlan>,
    /// Descriptions of intents.
    pub(super) meanings: IndexMap<String, String>,
}

#[derive(Debug, Default)]
pub(super) struct StatePlan {
    pub(super) goal: Option<String>,
    /// Optional data of the state.
    pub(super) optional: IndexSet<String>,
    pub(super) shape: StateShape,
    /// Maps intents to actions.
    pub(super) rules: IndexMap<String, String>,
    /// Maps intents to transitions. The first one whose condition is true is taken.
    pub(super) moves: IndexMap<String, Vec<WayPlan>>,
    pub(super) is_final: bool,
    pub(super) history: Option<History>,
    pub(super) region: Option<String>,
}

/// The kind of a state.
#[derive(Debug, Default)]
pub(super) enum StateShape {
    #[default]
    Place,
    /// Continues immediately. Only the last branch has no condition.
    Choice(Vec<WayPlan>),
    /// Starts regions that are joined later.
    Parallel {
        regions: Vec<RegionPlan>,
        join_at: String,
    },
}

#[derive(Debug)]
pub(super) struct RegionPlan {
    pub(super) name: String,
    pub(super) initial: String,
    /// The intents that the region handles.
    pub(super) handles: Vec<String>,
}

/// A transition with its condition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct WayPlan {
    /// The conditions that must all be true.
    pub(super) when: Vec<GuardTerm>,
    pub(super) then: String,
}

impl WayPlan {
    /// A transition without conditions.
    pub(super) fn to(then: &str) -> Self {
        Self {
            when: Vec::new(),
            then: then.to_owned(),
        }
    }
}
