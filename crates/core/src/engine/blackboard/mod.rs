//! The blackboard: what sources propose, why, and how proposals are ranked.

mod blackboard;
mod reason;

pub(super) use blackboard::SourceError;
pub use blackboard::{Blackboard, Proposal, Proposed};
pub use reason::{Reason, ReasonKind, ReasonNames};
