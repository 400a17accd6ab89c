//! Conditions: the context they see, their evaluation, and the recording of their values.

pub mod contact;
mod evaluate;
mod reads;
mod turn_context;
mod watched;

pub use turn_context::{ConditionError, is_missing};
pub(super) use turn_context::{TurnContext, TurnFacts};
