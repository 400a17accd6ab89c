//! What this process may read of documents, where somebody else says what is read.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::{PoisonError, RwLock};

use super::real_path;

/// The folders outside of which no document is read, links resolved; there is no fence where there are none.
static FOLDERS: RwLock<Vec<PathBuf>> = RwLock::new(Vec::new());

/// A fence around a folder, for all that this process reads from now on: a link in the folder may lead anywhere, and what a
/// document names may have a link in it.
#[derive(Debug)]
pub struct ReadFence;

impl ReadFence {
    /// Sets the fence around a folder.
    pub fn raise(folder: &Path) {
        FOLDERS
            .write()
            .unwrap_or_else(PoisonError::into_inner)
            .push(real_path(folder));
    }

    /// Takes in one more folder, where there is a fence.
    pub fn widen(folder: &Path) {
        let mut folders = FOLDERS.write().unwrap_or_else(PoisonError::into_inner);
        if !folders.is_empty() {
            folders.push(real_path(folder));
        }
    }

    /// Whether there is one.
    pub fn is_raised() -> bool {
        !FOLDERS
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .is_empty()
    }

    /// Opens what may be read. Where there is a fence, that is a regular file inside: a pipe would be waited for, and a device
    /// never ends.
    ///
    /// # Errors
    /// Those of the file system; what may not be read is `PermissionDenied`.
    pub fn open(path: &Path) -> io::Result<File> {
        if !Self::is_raised() {
            return File::open(path);
        }
        let refused = |why| io::Error::new(io::ErrorKind::PermissionDenied, why);
        let leads_out = || refused("it leads out of the project");
        let real = path.canonicalize()?;
        if !Self::holds(&real) {
            return Err(leads_out());
        }
        // Of a folder the reading tells.
        if !real.is_file() && !real.is_dir() {
            return Err(refused("it is neither a file nor a folder"));
        }
        let file = File::open(&real)?;
        // A folder on the way may have become a link meanwhile.
        if real.canonicalize()? == real {
            Ok(file)
        } else {
            Err(leads_out())
        }
    }

    /// Reads a text of at most so many bytes, where it may be read.
    ///
    /// # Errors
    /// Those of `open` and of reading; what is longer is `FileTooLarge`.
    pub fn read(path: &Path, limit: u64) -> io::Result<String> {
        let mut text = String::new();
        Self::open(path)?
            .take(limit.saturating_add(1))
            .read_to_string(&mut text)?;
        if text.len() as u64 > limit {
            let why = format!("it has more than {} MiB", limit >> 20);
            return Err(io::Error::new(io::ErrorKind::FileTooLarge, why));
        }
        Ok(text)
    }

    /// Whether a path lies inside, links resolved, or there is no fence. What is not there does no harm.
    pub fn holds(path: &Path) -> bool {
        let folders = FOLDERS.read().unwrap_or_else(PoisonError::into_inner);
        if folders.is_empty() || !path.exists() {
            return true;
        }
        let path = real_path(path);
        folders.iter().any(|folder| path.starts_with(folder))
    }
}
