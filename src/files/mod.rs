//! Files that are written whole, and by one process at a time.

mod held_file;
mod whole_file;

pub use held_file::HeldFile;
pub use whole_file::write_whole;
