//! Files that are written whole, and by one process at a time; and where a user's own lie.

mod held_file;
mod ignored_folder;
mod user_folder;
mod whole_file;

pub use held_file::HeldFile;
pub use ignored_folder::make_ignored_folder;
pub use user_folder::UserFolder;
pub use whole_file::write_whole;
