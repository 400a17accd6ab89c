//! Files that are written whole, and by one process at a time; where paths lead, and where a user's own files lie.

#[cfg(any(feature = "cli", feature = "studio"))]
mod file_watch;
mod held_file;
mod ignored_folder;
#[cfg(any(feature = "mcp", feature = "sqlite"))]
mod private_file;
mod read_fence;
mod real_path;
mod user_folder;
mod whole_file;

#[cfg(any(feature = "cli", feature = "studio"))]
pub use file_watch::{FileWatch, SavedFiles, matters};
pub use held_file::HeldFile;
pub use ignored_folder::make_ignored_folder;
#[cfg(any(feature = "mcp", feature = "sqlite"))]
pub use private_file::for_owner_alone;
pub use read_fence::ReadFence;
pub use real_path::real_path;
pub use user_folder::UserFolder;
pub use whole_file::{write_whole, write_whole_with};
