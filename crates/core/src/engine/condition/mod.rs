//! Conditions: what a turn looks like to them, their value, and why it is so.

pub mod contact;
mod evaluate;
mod turn_context;
mod watched;

pub use turn_context::{ConditionError, is_missing};
pub(super) use turn_context::{TurnContext, TurnFacts};
