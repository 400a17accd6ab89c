//! Atomic writes, file locks, path resolution, and the folders for user files.

mod file_lock;
mod held_file;
mod ignored_folder;
mod private_file;
mod read_fence;
mod real_path;
mod safe_stem;
mod user_folder;
mod whole_file;

pub use file_lock::{open_lock, try_hold};
pub use held_file::HeldFile;
pub use ignored_folder::make_ignored_folder;
pub use private_file::for_owner_alone;
pub use read_fence::ReadFence;
pub use real_path::real_path;
pub use safe_stem::safe_stem;
pub use user_folder::UserFolder;
pub use whole_file::{write_new, write_whole, write_whole_with};
