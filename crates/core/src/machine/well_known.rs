//! The names that the machine's own verbs, conditions and signals need.

use super::id::{ActionId, CategoryId, SlotId, StateId};

/// The names that the machine's own verbs, conditions and signals need. A name that the machine lacks is nothing, and what
/// depends on it never happens.
#[derive(Clone, Debug, Default)]
pub struct WellKnown {
    /// The action where there is nothing else to do.
    pub continue_goal: ActionId,
    /// The action in a final state.
    pub finished: ActionId,
    /// The action where a branch is done and the others are not; only where there are branches.
    pub join_waiting: Option<ActionId>,
    /// Actions that end the turn when a rule gives them.
    pub blocking_actions: Vec<ActionId>,
    /// The state after the phases.
    pub post_phases: Option<StateId>,
    /// The states in which dialogues may be begun, as the definition says.
    pub entry_points: Vec<StateId>,
    /// What branches brought that came together; only where there are branches.
    pub branch_results: Option<SlotId>,
    /// The first state that is described as more than a place, where the profile takes all of them for places.
    pub idle_node: Option<StateId>,
    /// The category of objections, which signals count.
    pub objections: Option<CategoryId>,
    /// The slots that count as data that matters.
    pub meaningful: Vec<SlotId>,
    /// The slots that may hold a contact of any kind, an email, a phone, and a contact as one text.
    pub contact: [Option<SlotId>; 4],
    /// The prefixes of phone numbers, as ranges with both ends included.
    pub phone_prefixes: Vec<(u16, u16)>,
}
