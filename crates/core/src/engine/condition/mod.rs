//! Conditions: what a turn looks like to them, their value, and why it is so.

mod condition_error;
pub mod contact;
mod evaluate;
mod turn_context;
mod watched;

pub use condition_error::ConditionError;
pub use turn_context::is_missing;
pub(super) use turn_context::{TurnContext, TurnFacts};
