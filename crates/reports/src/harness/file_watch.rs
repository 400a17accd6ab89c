//! Waits until somebody saves a file.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use notify::{Event, RecommendedWatcher, RecursiveMode, Watcher};

use crate::limits::{MAX_PAUSES, QUIET_TIMEOUT, WATCH_TIMEOUT};
use fsmsim_syntax::files::real_path;

/// The endings of files that matter.
const ENDINGS: [&str; 8] = ["yaml", "yml", "md", "csv", "json", "jsonl", "toml", "txt"];

/// Waits until somebody saves a file in folders that are watched.
pub struct FileWatch {
    watcher: RecommendedWatcher,
    events: Receiver<notify::Result<Event>>,
    /// The folders that are watched.
    pub folders: BTreeSet<PathBuf>,
}

/// What was saved.
#[derive(Debug, Default)]
pub struct SavedFiles {
    /// The files that were saved, or are gone, by real paths; none where nothing happened in the time given.
    pub files: BTreeSet<PathBuf>,
    /// A folder is new, or has another name: in it may be files that nobody watched.
    pub with_folders: bool,
}

impl FileWatch {
    /// Nothing is watched yet.
    pub fn begin() -> io::Result<Self> {
        let (sender, events) = channel();
        let watcher = notify::recommended_watcher(move |event| {
            // Nobody listens any more where this fails, and the process ends.
            let _ = sender.send(event);
        });
        Ok(Self {
            watcher: watcher.map_err(io::Error::other)?,
            events,
            folders: BTreeSet::new(),
        })
    }

    /// Watches a folder, once.
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

    /// Waits until files that matter were saved; nothing, where nobody watches any more.
    pub fn next(&self) -> Option<SavedFiles> {
        loop {
            let saved = self.next_within(WATCH_TIMEOUT)?;
            if !saved.files.is_empty() {
                return Some(saved);
            }
        }
    }

    /// The same, but waits no longer than this for the first of them. A new folder ends the wait, too.
    pub fn next_within(&self, most: Duration) -> Option<SavedFiles> {
        let mut saved = SavedFiles::default();
        let end = Instant::now() + most;
        loop {
            match self
                .events
                .recv_timeout(end.saturating_duration_since(Instant::now()))
            {
                Ok(event) => {
                    if saved.note(event) {
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
            saved.note(event);
        }
        Some(saved)
    }
}

impl SavedFiles {
    /// Notes what happened; whether anything did that matters.
    fn note(&mut self, event: notify::Result<Event>) -> bool {
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
                .filter(|path| matters(path))
                .map(|path| real_path(path)),
        );
        !self.files.is_empty() || self.with_folders
    }
}

/// Whether a file may be one that scenarios need.
pub fn matters(path: &Path) -> bool {
    let is_inside = path
        .components()
        .any(|part| part.as_os_str() == ".fsmsim-tmp");
    let ending = path
        .extension()
        .map(|ending| ending.to_string_lossy().to_lowercase());
    !is_hidden(path) && !is_inside && ending.is_some_and(|ending| ENDINGS.contains(&&*ending))
}

fn is_hidden(path: &Path) -> bool {
    path.file_name()
        .is_none_or(|name| name.to_string_lossy().starts_with('.'))
}
