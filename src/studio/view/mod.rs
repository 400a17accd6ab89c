//! The dialogue and its turns, as the page shows them.

mod condition_view;
mod dialogue_view;
mod edit_view;
mod here_view;
mod moment_view;
mod slot_view;
mod turn_view;

pub(super) use condition_view::{ConditionView, WantedConditions, conditions_at};
pub(super) use dialogue_view::DialogueView;
pub(super) use edit_view::EditView;
pub(super) use turn_view::{TurnView, excerpt_at};
