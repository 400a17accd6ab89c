//! Serializable views of an interactive dialogue: the current state and its possible inputs, a turn with all details,
//! conditions as trees. The studio and the MCP server use them.

mod condition_view;
mod slot_view;
mod state_view;
mod turn_view;

pub use condition_view::{ConditionView, WantedConditions, conditions_in, truth};
pub use slot_view::SlotView;
pub use state_view::StateView;
pub use turn_view::{DataView, RuleView, TurnView, excerpt_at, turn_conditions};
