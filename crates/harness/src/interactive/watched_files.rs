//! The files of a model at the time they were read.

use std::path::Path;
use std::sync::Arc;
use std::time::SystemTime;

use fsmsim_core::engine::Machine;

/// The state of files at a point in time.
#[derive(Clone, Debug, Default)]
pub struct WatchedFiles {
    files: Vec<(String, Option<(SystemTime, u64)>)>,
}

impl WatchedFiles {
    /// The current state of a model's files.
    pub fn of(machine: &Machine) -> Self {
        let files = machine.files.used_files();
        Self {
            files: files
                .map(|file| (file.path().to_owned(), state_of(file.path())))
                .collect(),
        }
    }

    /// Whether a file has changed.
    pub fn is_edited(&self) -> bool {
        self.edited().next().is_some()
    }

    /// The files that have changed since then.
    pub fn edited(&self) -> impl Iterator<Item = &str> {
        self.files
            .iter()
            .filter(|(path, then)| state_of(path) != *then)
            .map(|(path, _)| &**path)
    }
}

fn state_of(path: &str) -> Option<(SystemTime, u64)> {
    let metadata = std::fs::metadata(Path::new(path)).ok()?;
    Some((metadata.modified().ok()?, metadata.len()))
}

/// Reads the dialogue's model again from its files.
pub type ModelReader = Box<dyn FnMut() -> Result<Arc<Machine>, String> + Send>;

/// The reader of a model, and the state of the files when they were last read.
#[derive(Default)]
pub(super) struct WatchedModel {
    pub reader: Option<ModelReader>,
    pub files: WatchedFiles,
}
