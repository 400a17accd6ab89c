//! The blackboard: what sources propose, why, and how proposals are ranked.

mod blackboard;
mod proposal;
mod rank;
mod reason;
mod source_error;

pub use blackboard::Blackboard;
pub use proposal::{Proposal, Proposed};
pub(super) use rank::rank_all;
pub use reason::{Reason, ReasonKind, ReasonNames};
pub(super) use source_error::SourceError;
