//! Where a path leads.

use std::path::{Path, PathBuf};

/// A path from the root of the file system, without links as far as it is there; as it was where even its folder is not.
pub fn real_path(path: &Path) -> PathBuf {
    let in_folder = || {
        let folder = path
            .parent()
            .filter(|folder| !folder.as_os_str().is_empty())
            .unwrap_or(Path::new("."));
        Some(folder.canonicalize().ok()?.join(path.file_name()?))
    };
    path.canonicalize()
        .ok()
        .or_else(in_folder)
        .unwrap_or_else(|| path.to_path_buf())
}
