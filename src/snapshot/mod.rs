//! Snapshots: what a scenario did when a person last looked at it.

mod content;
mod file;
mod store;

pub use content::SnapshotText;
pub use file::{render_file, text_of_file, write_whole};
pub use store::{SnapshotName, SnapshotStore};
