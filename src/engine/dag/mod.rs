//! Choices, forks, joins and history inside the turn (docs/flows.md, "Choices, forks, joins").
//!
//! A turn belongs to one branch. [`ActiveBranches`] holds the branches of a session, [`traverse`] carries a decision on through the
//! nodes it comes to, and [`NodeEvent`] tells what happened on the way.

mod branch;
mod context;
mod event;
mod traverse;

pub use branch::{Branch, Status};
pub use context::{ActiveBranches, OpenFork};
pub use event::{EventKind, NodeEvent};
pub(super) use traverse::{EdgeMark, NodeTraversal, traverse};
