//! Who plays a session: one process at a time.

use std::fs::File;
use std::io;
use std::path::Path;

use xxhash_rust::xxh3::xxh3_128;

use super::session_name::SessionName;
use fsmsim_syntax::files::{open_lock, try_hold};

/// A session that is held by this process. The system lets go of it when the process ends, however it ends, so that no
/// lock is ever left behind. The file stays: whoever removed it could not know who is about to lock it.
#[derive(Debug)]
pub(super) struct SessionLock {
    _file: File,
}

impl SessionLock {
    /// Takes hold of a session; nothing, where somebody else holds it.
    pub(super) fn take(folder: &Path, name: &SessionName) -> io::Result<Option<Self>> {
        std::fs::create_dir_all(folder)?;
        // A name may be none of a file, or the same as another one, on systems that know no capitals.
        let path = folder.join(format!("{:032x}", xxh3_128(name.as_str().as_bytes())));
        let file = open_lock(&path)?;
        Ok(try_hold(&file)?.then_some(Self { _file: file }))
    }
}
