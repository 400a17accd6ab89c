//! A folder of what runs leave for each other, which git does not see.

use std::fs::File;
use std::io::{self, ErrorKind, Write};
use std::path::Path;

/// Makes a folder in which runs leave something for each other, and has git pass over it.
pub fn make_ignored_folder(folder: &Path) -> io::Result<()> {
    std::fs::create_dir_all(folder)?;
    match File::create_new(folder.join(".gitignore")) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(()),
        created => created?.write_all(b"*\n"),
    }
}
