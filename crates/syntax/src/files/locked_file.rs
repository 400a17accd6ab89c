//! A temporary file that one process writes and locks.

use std::fs::File;
use std::io::{self, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::file_lock::{open_lock, try_hold};
use super::whole_file::check_writable;
use crate::limits::MAX_TRIES;

/// A temporary file with its own name that this process has locked. The operating system releases the lock when the
/// process exits, even after a crash.
#[derive(Debug)]
pub struct LockedFile {
    path: PathBuf,
    file: File,
}

impl LockedFile {
    /// Opens and empties the file, which an interrupted run might have left. Returns `None` if another process has
    /// locked it.
    ///
    /// # Errors
    /// Returns an error if the file system fails, or if the path is not a regular file.
    pub fn begin(path: &Path) -> io::Result<Option<Self>> {
        let held = Self::take_up(path)?;
        held.map(|mut held| held.cut(0).map(|()| held)).transpose()
    }

    /// Opens the file with the content that an interrupted run might have left. Returns `None` if another process has
    /// locked it.
    ///
    /// # Errors
    /// Returns an error if the file system fails, or if the path is not a regular file.
    pub fn take_up(path: &Path) -> io::Result<Option<Self>> {
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder)?;
        }
        for _ in 0..MAX_TRIES {
            if path.symlink_metadata().is_ok_and(|found| !found.is_file()) {
                return Err(io::Error::new(
                    ErrorKind::AlreadyExists,
                    "the path exists and is not a regular file",
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
            // The process that had locked it has just renamed it.
        }
        Ok(None)
    }

    /// Appends text and writes it immediately.
    pub fn append(&mut self, text: &str) -> io::Result<()> {
        self.file.write_all(text.as_bytes())
    }

    /// Truncates the file to this length. Later writes append to it.
    pub fn cut(&mut self, length: u64) -> io::Result<()> {
        self.file.set_len(length)?;
        self.file.seek(SeekFrom::Start(length)).map(drop)
    }

    /// Reads a part of the file. Later writes still append to it.
    ///
    /// # Errors
    /// Returns an error if the file system fails or the file is too short.
    pub fn read_at(&mut self, at: u64, part: &mut [u8]) -> io::Result<()> {
        self.file.seek(SeekFrom::Start(at))?;
        let read = self.file.read_exact(part);
        self.file.seek(SeekFrom::End(0))?;
        read
    }

    /// Syncs the file and renames it to `path`.
    ///
    /// # Errors
    /// Returns an error if the file system fails. An existing file at `path` is then unchanged.
    pub fn finish(self, path: &Path) -> io::Result<()> {
        self.file.sync_all()?;
        check_writable(path)?;
        std::fs::rename(&self.path, path)
    }

    /// Deletes the file.
    pub fn discard(self) {
        // If this fails, the next run empties the file.
        let _ = std::fs::remove_file(&self.path);
    }
}

/// Whether an open file is the one at this path.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let identity = |of: io::Result<std::fs::Metadata>| of.map(|file| (file.dev(), file.ino())).ok();
    identity(file.metadata()).is_some_and(|this| Some(this) == identity(path.symlink_metadata()))
}

/// Whether an open file is the one at this path.
#[cfg(not(unix))]
fn is_at(_: &File, path: &Path) -> bool {
    path.is_file()
}
