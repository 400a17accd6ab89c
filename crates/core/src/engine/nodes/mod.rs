//! Choices, forks, joins and history inside the turn.
//!
//! A turn belongs to one branch. [`ActiveBranches`] holds the branches of a session, [`traverse`] carries a decision on
//! through the nodes it comes to, and [`NodeEvent`] tells what happened on the way.

mod node_event;
mod traverse;

pub use node_event::{EventKind, NodeEvent};
pub(super) use traverse::{NodeTraversal, traverse};
