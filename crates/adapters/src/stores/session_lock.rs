//! Locks sessions: only one process can use a session at a time.

use std::fs::File;
use std::io;
use std::path::Path;

use xxhash_rust::xxh3::xxh3_128;

use super::session_name::SessionName;
use fsmsim_syntax::files::{open_lock, try_hold};

/// A session locked by this process. The system releases the lock when the process exits, even after a crash. The file
/// remains: another process might be about to lock it.
#[derive(Debug)]
pub(super) struct SessionLock {
    _file: File,
}

impl SessionLock {
    /// Locks a session. Returns `None` if another process has locked it.
    pub(super) fn take(folder: &Path, name: &SessionName) -> io::Result<Option<Self>> {
        std::fs::create_dir_all(folder)?;
        // Hash the name: it might be invalid as a file name, or equal to another one if the file system ignores case.
        let path = folder.join(format!("{:032x}", xxh3_128(name.as_str().as_bytes())));
        let file = open_lock(&path)?;
        Ok(try_hold(&file)?.then_some(Self { _file: file }))
    }
}
