//! Hashes of the files that scenarios are read from.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

use super::model_key::ModelKey;
use crate::limits::MAX_SCENARIO_FILE;
use fsmsim_runtime::project::{ArtifactLayout, ModelCache};
use fsmsim_syntax::diagnostic::SourceMap;
use fsmsim_syntax::document::read_bytes;

/// Hashes of the files that scenarios are read from. Each file and each model is hashed once, because thousands of
/// scenarios can share them.
#[derive(Debug)]
pub struct InputHashes {
    layout: ArtifactLayout,
    /// By path, as in findings.
    files: BTreeMap<String, FileHash>,
    models: BTreeMap<ModelKey, u64>,
}

#[derive(Debug, Default)]
struct FileHash {
    /// The path, relative to the project. Empty if the file is missing.
    name: String,
    /// 0 if the file is missing.
    content: u64,
}

impl InputHashes {
    /// The hashes of a project.
    pub const fn new(layout: ArtifactLayout) -> Self {
        Self {
            layout,
            files: BTreeMap::new(),
            models: BTreeMap::new(),
        }
    }

    /// The hash of the content of each file that exists, by path relative to the project.
    pub fn files(&self) -> impl Iterator<Item = (&str, u64)> {
        let files = self.files.values().filter(|file| file.content != 0);
        files.map(|file| (&*file.name, file.content))
    }

    /// The hash of the files that the scenarios of a file share.
    pub fn of_shared(&mut self, shared: &SourceMap) -> SharedHash {
        let mut sum = 0_u64;
        for file in shared.used_files() {
            let read = || xxh3_64(file.text().as_bytes());
            sum = sum.wrapping_add(self.file(file.path(), read));
        }
        SharedHash {
            sum,
            missing: PathBuf::new(),
        }
    }

    /// The hash of all files of a scenario: those that it shares with the scenarios of its file, its own, and those of
    /// its model. It does not depend on their order, because other runs can read shared files in another order.
    pub fn of(
        &mut self,
        shared: &mut SharedHash,
        own: &[PathBuf],
        model: Option<&ModelKey>,
        models: &mut ModelCache,
    ) -> u64 {
        let mut sum = shared.sum;
        for path in own {
            let hash = if shared.lacks(path) {
                FileHash::default().of_name()
            } else {
                let read =
                    || read_bytes(path, MAX_SCENARIO_FILE).map_or(0, |bytes| xxh3_64(&bytes));
                self.file(&path.to_string_lossy(), read)
            };
            sum = sum.wrapping_add(hash);
        }
        if let Some(key) = model {
            let known = self.models.get(key).copied();
            let hash = known.unwrap_or_else(|| {
                let machine = models.load(&key.path, key.variant);
                machine.map_or(0, |machine| xxh3_64(machine.files.fingerprint().as_bytes()))
            });
            if known.is_none() {
                self.models.insert(key.clone(), hash);
            }
            sum = sum.wrapping_add(hash);
        }
        sum
    }

    /// The hash of a file and its path, so that two files with exchanged contents are an edit.
    fn file(&mut self, path: &str, read: impl FnOnce() -> u64) -> u64 {
        let hash = || match read() {
            0 => FileHash::default(),
            content => FileHash {
                name: self.layout.from_root(Path::new(path)),
                content,
            },
        };
        match self.files.get(path) {
            Some(file) => file.of_name(),
            None => self
                .files
                .entry(path.to_owned())
                .or_insert_with(hash)
                .of_name(),
        }
    }
}

impl FileHash {
    fn of_name(&self) -> u64 {
        xxh3_64_with_seed(self.name.as_bytes(), self.content)
    }
}

/// The hash of the files that the scenarios of a file share, while no file is written.
#[derive(Debug)]
pub struct SharedHash {
    sum: u64,
    /// A directory that does not exist. Thousands of scenarios can lack a snapshot in the same directory.
    missing: PathBuf,
}

impl SharedHash {
    /// Whether a file does not exist.
    fn lacks(&mut self, path: &Path) -> bool {
        let folder = path.parent().unwrap_or(Path::new(""));
        if !self.missing.as_os_str().is_empty() && *folder == *self.missing {
            return true;
        }
        let is_missing = |path: &Path| matches!(path.try_exists(), Ok(false));
        let lacks = is_missing(path);
        if lacks && !folder.as_os_str().is_empty() && is_missing(folder) {
            self.missing = folder.to_path_buf();
        }
        lacks
    }
}
