//! A session as text: by names instead of ids, so that it outlives an edit of the flow.
//!
//! The keys that the bot of the profile `reference` saves come first and mean the same, so that a dialogue from
//! production can be continued; what it does not save stands under `beyond` (docs/sales.md, "Saved sessions").

mod branches;
mod memory;
mod session;
mod tracker;

pub use session::SavedSession;
