//! Watches the files of the project.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::{Duration, SystemTime};

use walkdir::{DirEntry, WalkDir};

use crate::limits::MAX_WATCHED_FOLDERS;
use fsmsim_reports::harness::{FileWatch, matters};
use fsmsim_syntax::files::real_path;

/// The polling interval for the files of the model; without system notifications, for all files.
const PAUSE: Duration = Duration::from_millis(200);
/// Folders of other tools, which contain no project files.
const OTHERS: [&str; 2] = ["target", "node_modules"];

/// The modification time and size of a file; `None` if it does not exist.
type FileState = Option<(SystemTime, u64)>;

/// Watches the project and wakes the worker. Ends when the worker ends.
pub(super) struct ProjectWatch {
    models: Sender<BTreeSet<PathBuf>>,
}

/// The state of the watcher thread.
struct WatchedProject {
    root: PathBuf,
    /// `None` if system notifications are unavailable.
    system: Option<FileWatch>,
    /// The canonical paths of the model files. They are always polled, because some file systems send no notifications.
    model: BTreeSet<PathBuf>,
    states: BTreeMap<PathBuf, FileState>,
}

impl ProjectWatch {
    /// Starts watching. `report` receives the saved files. If it returns `false`, watching ends.
    pub(super) fn begin(
        folder: &Path,
        report: impl Fn(BTreeSet<PathBuf>) -> bool + Send + 'static,
    ) -> Self {
        let (models, orders) = channel();
        let mut watched = WatchedProject::new(real_path(folder));
        // Existing files are not reported; later changes are.
        watched.look_around();
        // The thread only reads, and ends when the channels close.
        thread::spawn(move || watched.look(&orders, report));
        Self { models }
    }

    /// Replaces the set of model files, given by canonical path.
    pub(super) fn watch_model(&self, files: BTreeSet<PathBuf>) {
        // The thread might have ended.
        let _ = self.models.send(files);
    }
}

impl WatchedProject {
    fn new(root: PathBuf) -> Self {
        Self {
            root,
            system: FileWatch::begin().ok(),
            model: BTreeSet::new(),
            states: BTreeMap::new(),
        }
    }

    fn look(
        mut self,
        orders: &Receiver<BTreeSet<PathBuf>>,
        report: impl Fn(BTreeSet<PathBuf>) -> bool,
    ) {
        loop {
            let mut is_new = false;
            loop {
                match orders.try_recv() {
                    Ok(model) => (self.model, is_new) = (model, true),
                    Err(std::sync::mpsc::TryRecvError::Empty) => break,
                    Err(std::sync::mpsc::TryRecvError::Disconnected) => return,
                }
            }
            if is_new {
                self.watch_model();
            }
            let mut saved = self.wait();
            saved.extend(self.model.iter().cloned());
            let saved: BTreeSet<PathBuf> = saved
                .into_iter()
                .filter(|path| self.is_changed(path))
                .collect();
            if !saved.is_empty() && !report(saved) {
                return;
            }
        }
    }

    /// Waits for `PAUSE` at most. Returns the files that might have changed.
    fn wait(&mut self) -> BTreeSet<PathBuf> {
        let notified = self.system.as_ref().map(|system| system.next_within(PAUSE));
        match notified {
            Some(Some(mut saved)) => {
                // A file in a new folder might have been saved before the folder was watched.
                if saved.with_folders {
                    saved.files.extend(self.look_around());
                }
                saved.files
            }
            Some(None) => {
                self.system = None;
                BTreeSet::new()
            }
            None => {
                thread::sleep(PAUSE);
                self.look_around()
                    .into_iter()
                    .chain(self.states.keys().cloned())
                    .collect()
            }
        }
    }

    /// Whether a file has changed since the last check.
    fn is_changed(&mut self, path: &Path) -> bool {
        let state = state_of(path);
        match self.states.insert(path.to_path_buf(), state) {
            Some(former) => former != state,
            None => state.is_some(),
        }
    }

    /// Watches the folders of model files, which can be outside the project.
    fn watch_model(&mut self) {
        for path in self.model.clone() {
            self.states
                .entry(path.clone())
                .or_insert_with(|| state_of(&path));
            if let Some(folder) = path.parent() {
                self.watch(folder);
            }
        }
    }

    /// Watches a folder. If the system cannot watch it, all files are polled.
    fn watch(&mut self, folder: &Path) {
        if self
            .system
            .as_mut()
            .is_some_and(|system| system.watch(folder, false).is_err())
        {
            self.system = None;
        }
    }

    /// Watches all folders of the project. Returns the files that are not known yet.
    fn look_around(&mut self) -> BTreeSet<PathBuf> {
        let first = self.states.is_empty();
        let mut new = BTreeSet::new();
        let mut folders = 0;
        let walk = WalkDir::new(&self.root)
            .sort_by_file_name()
            .into_iter()
            .filter_entry(is_looked_at);
        for entry in walk.flatten() {
            if entry.file_type().is_dir() {
                folders += 1;
                if folders > MAX_WATCHED_FOLDERS {
                    break;
                }
                self.watch(entry.path());
            } else if matters(entry.path()) && !self.states.contains_key(entry.path()) {
                if first {
                    self.states
                        .insert(entry.path().to_path_buf(), state_of(entry.path()));
                } else {
                    new.insert(entry.into_path());
                }
            }
        }
        new
    }
}

fn is_looked_at(entry: &DirEntry) -> bool {
    let name = entry.file_name().to_string_lossy();
    entry.depth() == 0
        || !entry.file_type().is_dir()
        || !(name.starts_with('.') || OTHERS.contains(&&*name))
}

fn state_of(path: &Path) -> FileState {
    let metadata = std::fs::metadata(path).ok()?;
    Some((metadata.modified().ok()?, metadata.len()))
}
