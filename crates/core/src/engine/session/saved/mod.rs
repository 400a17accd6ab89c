//! A session as text: by names instead of ids, so that it outlives an edit of the definition.
//!
//! The keys of the reference bot's own snapshot come first and mean the same, so that a dialogue from production can be
//! continued; what that snapshot loses stands under `beyond`, and what policies remember under `policies`.

mod branches;
mod names;
mod recent_turns;
mod session;
mod tracker;

pub(in crate::engine) use names::SavedNames;
pub use session::SavedSession;
