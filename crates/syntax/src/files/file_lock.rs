//! Lock files between processes. The operating system releases them when a process exits, even after a crash.

use std::fs::{File, TryLockError};
use std::io;
use std::path::Path;

/// Opens a lock file without locking it. Creates it if it is missing.
pub fn open_lock(path: &Path) -> io::Result<File> {
    File::options()
        .create(true)
        .truncate(false)
        .read(true)
        .write(true)
        .open(path)
}

/// Locks a file; returns `false` if another process has locked it.
pub fn try_hold(file: &File) -> io::Result<bool> {
    match file.try_lock() {
        Ok(()) => Ok(true),
        Err(TryLockError::WouldBlock) => Ok(false),
        Err(TryLockError::Error(error)) => Err(error),
    }
}
