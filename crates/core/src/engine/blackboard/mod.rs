//! The blackboard: what sources propose, and why.

mod blackboard;
mod reason;

pub(super) use blackboard::SourceError;
pub use blackboard::{Blackboard, Proposal, Proposed};
pub use reason::{Reason, ReasonKind, ReasonNames};
