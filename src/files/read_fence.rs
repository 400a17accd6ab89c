//! What this process may read of documents, where somebody else says what is read.

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
        FOLDERS.write().unwrap_or_else(PoisonError::into_inner).push(real_path(folder));
    }

    /// Takes in one more folder, where there is a fence.
    pub fn widen(folder: &Path) {
        let mut folders = FOLDERS.write().unwrap_or_else(PoisonError::into_inner);
        if !folders.is_empty() {
            folders.push(real_path(folder));
        }
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
