//! A flow on its way to being written.

use indexmap::{IndexMap, IndexSet};

use super::chart::GuardTerm;
use fsmsim_core::machine::History;

/// A flow that is to be written.
#[derive(Debug, Default)]
pub(super) struct FlowPlan {
    pub(super) name: String,
    pub(super) initial: String,
    /// Data that a dialogue begins with, each value as YAML writes it.
    pub(super) slots: IndexMap<String, String>,
    /// Conditions, each with the slot that it asks about.
    pub(super) conditions: IndexMap<String, String>,
    /// Events that nobody says.
    pub(super) events: IndexSet<String>,
    pub(super) states: IndexMap<String, StatePlan>,
    /// What intents mean.
    pub(super) meanings: IndexMap<String, String>,
}

/// A state that is to be written.
#[derive(Debug, Default)]
pub(super) struct StatePlan {
    pub(super) goal: Option<String>,
    /// Data that may be told here.
    pub(super) optional: IndexSet<String>,
    pub(super) shape: StateShape,
    /// Intent to action.
    pub(super) rules: IndexMap<String, String>,
    /// Intent to ways, of which the first that is open is taken.
    pub(super) moves: IndexMap<String, Vec<WayPlan>>,
    pub(super) is_final: bool,
    pub(super) history: Option<History>,
    pub(super) region: Option<String>,
}

/// What a state is besides a place.
#[derive(Debug, Default)]
pub(super) enum StateShape {
    /// No more than a place.
    #[default]
    Place,
    /// Goes on at once. The last way, and only that, is always open.
    Choice(Vec<WayPlan>),
    /// Starts regions that come together.
    Parallel {
        regions: Vec<RegionPlan>,
        join_at: String,
    },
}

/// A region of a parallel state.
#[derive(Debug)]
pub(super) struct RegionPlan {
    pub(super) name: String,
    pub(super) initial: String,
    /// The intents that belong to it.
    pub(super) handles: Vec<String>,
}

/// A way, and when it is open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct WayPlan {
    /// All of these, by the names of conditions.
    pub(super) when: Vec<GuardTerm>,
    pub(super) then: String,
}

impl WayPlan {
    /// A way that is always open.
    pub(super) fn to(then: &str) -> Self {
        Self {
            when: Vec::new(),
            then: then.to_owned(),
        }
    }
}
