//! The blackboard: the proposals of sources, and their reasons.

mod blackboard;
mod reason;

pub(super) use blackboard::SourceError;
pub use blackboard::{Blackboard, Proposal, Proposed};
pub use reason::{Reason, ReasonKind, ReasonNames};
