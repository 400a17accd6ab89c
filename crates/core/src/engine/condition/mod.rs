//! Conditions: what a turn looks like to them, their value, and why it is so.

mod condition_error;
mod condition_explainer;
pub mod contact;
mod evaluate;
mod signals;
mod turn_context;
mod watched;

pub use condition_error::ConditionError;
pub use condition_explainer::{ConditionExplainer, EvaluationStep};
pub use signals::Signals;
pub(super) use signals::{NOTHING_KNOWN, Scope, Secondary};
pub use turn_context::is_missing;
pub(super) use turn_context::{TurnContext, TurnFacts};
