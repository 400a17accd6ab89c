//! Folders for data that runs share, which git ignores.

use std::io::{self, ErrorKind};
use std::path::Path;

use super::whole_file::write_new;

/// Creates a folder for data that runs share, and makes git ignore it.
pub fn make_ignored_folder(folder: &Path) -> io::Result<()> {
    match write_new(&folder.join(".gitignore"), "*\n") {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(()),
        written => written,
    }
}
