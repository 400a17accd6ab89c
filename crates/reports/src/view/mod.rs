//! A dialogue that is played by hand, as values that programs read: where it is and what may be said there, a turn with all that
//! is known of it, conditions as trees. The studio shows them, and assistants are told them.

mod condition_view;
mod here_view;
mod slot_view;
mod turn_view;

pub use condition_view::{ConditionView, WantedConditions, conditions_at, truth};
pub use here_view::HereView;
pub use slot_view::SlotView;
pub use turn_view::{DataView, RuleView, TurnView, excerpt_at, turn_conditions};
