//! Limits the files that this process can read, for input from untrusted sources.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::{PoisonError, RwLock};

use super::input_files::InputFiles;
use super::real_path;

/// The folders from which documents are read, without symbolic links. If the list is empty, reading is not limited.
static FOLDERS: RwLock<Vec<PathBuf>> = RwLock::new(Vec::new());

/// Limits all later reads of this process to some folders. It resolves symbolic links, both in the folder and in paths
/// that a document contains.
#[derive(Debug)]
pub struct ReadSandbox;

impl ReadSandbox {
    /// Limits reading to this folder.
    pub fn raise(folder: &Path) {
        FOLDERS
            .write()
            .unwrap_or_else(PoisonError::into_inner)
            .push(real_path(folder));
    }

    /// Also allows this folder, if reading is limited.
    pub fn widen(folder: &Path) {
        let mut folders = FOLDERS.write().unwrap_or_else(PoisonError::into_inner);
        if !folders.is_empty() {
            folders.push(real_path(folder));
        }
    }

    /// Whether reading is limited.
    pub fn is_raised() -> bool {
        !FOLDERS
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .is_empty()
    }

    /// Opens a file if reading it is allowed. If reading is limited, the path must be a regular file inside the
    /// folders: a pipe can block, and a device can be endless.
    ///
    /// # Errors
    /// Returns an error if the file system fails, and `PermissionDenied` if reading is not allowed.
    pub fn open(path: &Path) -> io::Result<File> {
        if !Self::is_raised() {
            return File::open(path);
        }
        let refused = |why| io::Error::new(io::ErrorKind::PermissionDenied, why);
        let outside = || refused("the path is outside the project");
        let real = path.canonicalize()?;
        if !Self::holds(&real) {
            return Err(outside());
        }
        // Reading a folder fails later, with a better error.
        if !real.is_file() && !real.is_dir() {
            return Err(refused("not a file or directory"));
        }
        let file = File::open(&real)?;
        // A folder in the path can have been replaced by a link in the meantime.
        if real.canonicalize()? == real {
            Ok(file)
        } else {
            Err(outside())
        }
    }

    /// Reads text of at most `limit` bytes, if reading it is allowed.
    ///
    /// # Errors
    /// Returns the errors of `open`, errors while reading, and `FileTooLarge` if the text is longer.
    pub fn read(path: &Path, limit: u64) -> io::Result<String> {
        let mut text = String::new();
        InputFiles::add(path);
        Self::open(path)?
            .take(limit.saturating_add(1))
            .read_to_string(&mut text)?;
        if text.len() as u64 > limit {
            let why = format!("larger than {} MiB", limit >> 20);
            return Err(io::Error::new(io::ErrorKind::FileTooLarge, why));
        }
        Ok(text)
    }

    /// Whether reading a path is allowed, after links are resolved. A missing path is harmless and allowed.
    pub fn holds(path: &Path) -> bool {
        let folders = FOLDERS.read().unwrap_or_else(PoisonError::into_inner);
        if folders.is_empty() || !path.exists() {
            return true;
        }
        let path = real_path(path);
        folders.iter().any(|folder| path.starts_with(folder))
    }
}
