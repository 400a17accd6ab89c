//! A session as text: by names instead of ids, so that it outlives an edit of the flow.
//!
//! The keys of the running system's own snapshot (FLOW section 21) come first and mean the same, so that a dialogue from
//! production can be continued; what that snapshot loses stands under `beyond`.

mod branches;
mod memory;
mod session;
mod tracker;

pub use session::SavedSession;
