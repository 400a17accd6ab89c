//! Atomic writes, file locks, path resolution, and the folders for user files.

mod file_lock;
mod growing_file;
mod ignored_folder;
mod input_files;
mod line_splitter;
mod locked_file;
mod private_file;
mod read_sandbox;
mod real_path;
mod safe_stem;
mod user_folder;
mod whole_file;

pub use file_lock::{open_lock, try_hold};
pub use growing_file::{FilePosition, GrowingFile};
pub use ignored_folder::make_ignored_folder;
pub use input_files::{InputFiles, write_output};
pub use line_splitter::LineSplitter;
pub use locked_file::LockedFile;
pub use private_file::for_owner_alone;
pub use read_sandbox::ReadSandbox;
pub use real_path::real_path;
pub use safe_stem::safe_stem;
pub use user_folder::UserFolder;
pub use whole_file::{check_writable, write_new, write_whole, write_whole_with};
