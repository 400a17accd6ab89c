//! Files by which processes keep each other out. The system lets go of them when the process ends, however it ends.

use std::fs::{File, TryLockError};
use std::io;
use std::path::Path;

/// Opens a file that is there to be held, and holds nothing; it is created where it is missing.
///
/// # Errors
/// Those of the file system.
pub fn open_lock(path: &Path) -> io::Result<File> {
    File::options()
        .create(true)
        .truncate(false)
        .read(true)
        .write(true)
        .open(path)
}

/// Takes hold of a file; whether no other process holds it.
///
/// # Errors
/// Those of the file system.
pub fn try_hold(file: &File) -> io::Result<bool> {
    match file.try_lock() {
        Ok(()) => Ok(true),
        Err(TryLockError::WouldBlock) => Ok(false),
        Err(TryLockError::Error(error)) => Err(error),
    }
}
