//! Resolution of paths.

use std::path::{Path, PathBuf};

/// The absolute path without symbolic links. For a missing file, the folder is resolved. If the folder is missing, too,
/// the path is unchanged.
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
