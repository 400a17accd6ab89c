//! Snapshots: what a scenario did when a person last looked at it.

mod file;
mod snapshot_checker;
mod snapshot_outcome;
mod snapshot_store;
mod snapshot_text;

pub use file::write_whole;
pub use snapshot_checker::{NewSnapshot, SnapshotChecker, SnapshotMode};
pub use snapshot_outcome::SnapshotOutcome;
pub use snapshot_text::SnapshotText;
