//! Verification of a trace that grows: each turn is checked when its line arrives.

mod follow_journal;
mod follower;
mod known_session;
mod late_lines;
mod live_dialogue;

pub use follow_journal::{FollowCommit, FollowJournal};
pub use follower::{FollowEvent, FollowOutput, FollowState, Follower};
pub use late_lines::Lateness;
pub use live_dialogue::LiveDialogue;
