//! Scans the files of a workspace.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use walkdir::{DirEntry, WalkDir};

use super::file_format::FileFormat;
use super::file_index::FileIndex;
use crate::limits::{MAX_SCANNED_FILE, MAX_WORKSPACE_FILES};
use fsmsim_runtime::project::is_surely_definition;

/// Folders with third-party files.
const FOREIGN: [&str; 3] = ["node_modules", "target", "venv"];

/// The modification time and size of a file, to detect changes.
pub(super) type DiskStamp = (Option<SystemTime>, u64);

/// The workspace files on disk, with the names that they contain.
#[derive(Debug, Default)]
pub(super) struct WorkspaceScan {
    /// The files, each with its stamp and index.
    files: BTreeMap<PathBuf, (DiskStamp, Option<Arc<FileIndex>>)>,
    /// Folders that are models.
    pub folders: BTreeSet<PathBuf>,
}

impl WorkspaceScan {
    /// Scans folders again. Unchanged files are not read.
    pub(super) fn refresh(&mut self, roots: &[PathBuf]) {
        let mut before = std::mem::take(&mut self.files);
        self.folders.clear();
        for root in roots {
            let entries = WalkDir::new(root)
                .sort_by_file_name()
                .into_iter()
                .filter_entry(|entry| entry.depth() == 0 || is_ours(entry))
                .flatten();
            for entry in entries.take(MAX_WORKSPACE_FILES) {
                let path = entry.path();
                if entry.file_type().is_dir() {
                    if is_surely_definition(path)
                        && !entry.file_name().to_string_lossy().starts_with('_')
                    {
                        self.folders.insert(path.to_path_buf());
                    }
                    continue;
                }
                let Some(stamp) =
                    stamp_of(path).filter(|(_, size)| *size <= MAX_SCANNED_FILE && is_read(path))
                else {
                    continue;
                };
                let known = before.remove(path).filter(|(known, _)| *known == stamp);
                let read = || (stamp, read(path).map(Arc::new));
                self.files
                    .insert(path.to_path_buf(), known.unwrap_or_else(read));
            }
        }
    }

    pub(super) fn indexes(&self) -> impl Iterator<Item = (&PathBuf, &Arc<FileIndex>)> {
        self.files
            .iter()
            .filter_map(|(path, (_, index))| Some((path, index.as_ref()?)))
    }
}

/// The modification time and size of a file; `None` if it is not a file.
pub(super) fn stamp_of(path: &Path) -> Option<DiskStamp> {
    let file = path.metadata().ok()?;
    file.is_file().then(|| (file.modified().ok(), file.len()))
}

fn is_ours(entry: &DirEntry) -> bool {
    let name = entry.file_name().to_string_lossy();
    let is_foreign = entry.file_type().is_dir() && FOREIGN.contains(&&*name);
    !name.starts_with('.') && !is_foreign
}

fn is_read(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str());
    extension.is_some_and(|extension| ["yaml", "yml", "md", "jsonl"].contains(&extension))
}

fn read(path: &Path) -> Option<FileIndex> {
    let text = std::fs::read_to_string(path).ok()?;
    // JSON Lines files are indexed only if they contain dialogues.
    let is_foreign =
        path.extension().is_some_and(|end| end == "jsonl") && !text.contains("\"turns\"");
    if is_foreign {
        return None;
    }
    let index = FileIndex::of(path, &text.into())?;
    (index.format != FileFormat::Other).then_some(index)
}
