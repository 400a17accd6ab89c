//! Folders for data that runs share, which git ignores.

use std::fs::File;
use std::io::{self, ErrorKind, Write};
use std::path::Path;

/// Creates a folder for data that runs share, and makes git ignore it.
pub fn make_ignored_folder(folder: &Path) -> io::Result<()> {
    std::fs::create_dir_all(folder)?;
    match File::create_new(folder.join(".gitignore")) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(()),
        created => created?.write_all(b"*\n"),
    }
}
