//! A file that one process makes while others look on.

use std::fs::File;
use std::io::{self, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::file_lock::{open_lock, try_hold};
use crate::limits::MAX_TRIES;

/// A file in the making that grows under a name of its own and is held by this process; the system lets go of it when the
/// process ends, however it ends.
#[derive(Debug)]
pub struct HeldFile {
    path: PathBuf,
    file: File,
}

impl HeldFile {
    /// Begins the file anew, whatever a run that was killed has left of it; nothing, where another process holds it.
    ///
    /// # Errors
    /// Those of the file system; also where a link stands in its place.
    pub fn begin(path: &Path) -> io::Result<Option<Self>> {
        let held = Self::take_up(path)?;
        held.map(|mut held| held.cut(0).map(|()| held)).transpose()
    }

    /// Takes up the file as a run that was killed has left it, or begins it; nothing, where another process holds it.
    ///
    /// # Errors
    /// Those of the file system; also where a link stands in its place.
    pub fn take_up(path: &Path) -> io::Result<Option<Self>> {
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder)?;
        }
        for _ in 0..MAX_TRIES {
            if path.symlink_metadata().is_ok_and(|found| !found.is_file()) {
                return Err(io::Error::new(
                    ErrorKind::AlreadyExists,
                    "something that is no file is in the way",
                ));
            }
            let file = open_lock(path)?;
            if !try_hold(&file)? {
                return Ok(None);
            }
            if is_at(&file, path) {
                let path = path.to_path_buf();
                return Ok(Some(Self { path, file }));
            }
            // Whoever held it has just finished it.
        }
        Ok(None)
    }

    /// Writes at its end, at once.
    pub fn append(&mut self, text: &str) -> io::Result<()> {
        self.file.write_all(text.as_bytes())
    }

    /// Keeps only so many bytes of it; what is written next stands behind them.
    pub fn cut(&mut self, length: u64) -> io::Result<()> {
        self.file.set_len(length)?;
        self.file.seek(SeekFrom::Start(length)).map(drop)
    }

    /// Reads a part of it; what is written next stands at its end nevertheless.
    ///
    /// # Errors
    /// Those of the file system; also where the part is not there.
    pub fn read_at(&mut self, at: u64, part: &mut [u8]) -> io::Result<()> {
        self.file.seek(SeekFrom::Start(at))?;
        let read = self.file.read_exact(part);
        self.file.seek(SeekFrom::End(0))?;
        read
    }

    /// Gives the whole file its name.
    ///
    /// # Errors
    /// Those of the file system; what had the name before is as it was.
    pub fn finish(self, path: &Path) -> io::Result<()> {
        self.file.sync_all()?;
        std::fs::rename(&self.path, path)
    }

    /// Removes it.
    pub fn discard(self) {
        // What is left of it the next one removes.
        let _ = std::fs::remove_file(&self.path);
    }
}

/// Whether a file is the one at this path.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let identity = |of: io::Result<std::fs::Metadata>| of.map(|file| (file.dev(), file.ino())).ok();
    identity(file.metadata()).is_some_and(|this| Some(this) == identity(path.symlink_metadata()))
}

/// Whether a file is the one at this path.
#[cfg(not(unix))]
fn is_at(_: &File, path: &Path) -> bool {
    path.is_file()
}
