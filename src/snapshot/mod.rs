//! Snapshots: what a scenario did when a person last looked at it.

mod file;
mod snapshot_checker;
mod snapshot_text;

pub use snapshot_checker::{NewSnapshot, SnapshotChecker, SnapshotMode, SnapshotOutcome};
pub use snapshot_text::SnapshotText;
