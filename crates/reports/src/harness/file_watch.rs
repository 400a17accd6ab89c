//! Waits for saved files.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use notify::{Event, RecommendedWatcher, RecursiveMode, Watcher};

use crate::limits::{MAX_PAUSES, QUIET_TIMEOUT, WATCH_TIMEOUT};
use fsmsim_syntax::files::real_path;

/// The extensions of relevant files.
const EXTENSIONS: [&str; 8] = ["yaml", "yml", "md", "csv", "json", "jsonl", "toml", "txt"];

/// Waits for saved files in watched folders.
pub struct FileWatch {
    watcher: RecommendedWatcher,
    events: Receiver<notify::Result<Event>>,
    pub folders: BTreeSet<PathBuf>,
    /// Files that are relevant whatever their extension, by canonical path.
    pub files: BTreeSet<PathBuf>,
}

/// The files that were saved.
#[derive(Debug, Default)]
pub struct SavedFiles {
    /// The saved or deleted files, by canonical path; empty after a timeout.
    pub files: BTreeSet<PathBuf>,
    /// Whether a folder is new or was renamed: it might contain files that were not watched.
    pub with_folders: bool,
}

impl FileWatch {
    /// A watcher without folders.
    pub fn begin() -> io::Result<Self> {
        let (sender, events) = channel();
        let watcher = notify::recommended_watcher(move |event| {
            // This fails only when the receiver is dropped.
            let _ = sender.send(event);
        });
        Ok(Self {
            watcher: watcher.map_err(io::Error::other)?,
            events,
            folders: BTreeSet::new(),
            files: BTreeSet::new(),
        })
    }

    /// Watches a folder. A second call for the same folder has no effect.
    pub fn watch(&mut self, folder: &Path, with_all_below: bool) -> io::Result<()> {
        if !folder.is_dir() || !self.folders.insert(folder.to_path_buf()) {
            return Ok(());
        }
        let mode = if with_all_below {
            RecursiveMode::Recursive
        } else {
            RecursiveMode::NonRecursive
        };
        self.watcher.watch(folder, mode).map_err(io::Error::other)
    }

    /// Waits until relevant files are saved; `None` if the watcher has ended.
    pub fn next(&self) -> Option<SavedFiles> {
        loop {
            let saved = self.next_within(WATCH_TIMEOUT)?;
            if !saved.files.is_empty() {
                return Some(saved);
            }
        }
    }

    /// As `next`, but waits at most `most` for the first file. A new folder also ends the wait.
    pub fn next_within(&self, most: Duration) -> Option<SavedFiles> {
        let mut saved = SavedFiles::default();
        let end = Instant::now() + most;
        loop {
            match self
                .events
                .recv_timeout(end.saturating_duration_since(Instant::now()))
            {
                Ok(event) => {
                    if saved.note(event, &self.files) {
                        break;
                    }
                }
                Err(RecvTimeoutError::Timeout) => return Some(saved),
                Err(RecvTimeoutError::Disconnected) => return None,
            }
        }
        for _ in 0..MAX_PAUSES {
            let Ok(event) = self.events.recv_timeout(QUIET_TIMEOUT) else {
                break;
            };
            saved.note(event, &self.files);
        }
        Some(saved)
    }
}

impl SavedFiles {
    /// Records an event. Returns whether it is relevant.
    fn note(&mut self, event: notify::Result<Event>, relevant: &BTreeSet<PathBuf>) -> bool {
        let Some(event) = event.ok().filter(|event| !event.kind.is_access()) else {
            return false;
        };
        self.with_folders |= event
            .paths
            .iter()
            .any(|path| !is_hidden(path) && path.is_dir());
        self.files.extend(
            event
                .paths
                .iter()
                .filter(|path| matters(path) || relevant.contains(*path))
                .map(|path| real_path(path)),
        );
        !self.files.is_empty() || self.with_folders
    }
}

/// Whether scenarios might depend on a file.
pub fn matters(path: &Path) -> bool {
    let is_inside = path
        .components()
        .any(|part| part.as_os_str() == ".fsmsim-tmp");
    let extension = path
        .extension()
        .map(|extension| extension.to_string_lossy().to_lowercase());
    !is_hidden(path)
        && !is_inside
        && extension.is_some_and(|extension| EXTENSIONS.contains(&&*extension))
}

fn is_hidden(path: &Path) -> bool {
    path.file_name()
        .is_none_or(|name| name.to_string_lossy().starts_with('.'))
}
