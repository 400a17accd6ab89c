use std::ffi::OsStr;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use crate::support::{Invocation, home, walk};

/// A project in a temporary folder.
#[derive(Clone)]
pub(crate) struct Project {
    folder: Arc<tempfile::TempDir>,
}

impl Project {
    pub(crate) fn new() -> Self {
        Self {
            folder: Arc::new(tempfile::tempdir().unwrap()),
        }
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Writes a file, with the folders above it.
    pub(crate) fn file(self, path: &str, content: impl AsRef<[u8]>) -> Self {
        self.write(path, content);
        self
    }

    pub(crate) fn write(&self, path: &str, content: impl AsRef<[u8]>) {
        let path = self.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    }

    pub(crate) fn read(&self, path: &str) -> String {
        std::fs::read_to_string(self.path().join(path)).unwrap()
    }

    /// All files, without the saved results of runs.
    pub(crate) fn files(&self) -> Vec<String> {
        let mut files: Vec<String> = walk(self.path())
            .into_iter()
            .map(|path| {
                path.strip_prefix(self.path())
                    .unwrap()
                    .display()
                    .to_string()
            })
            .filter(|path| !path.starts_with(".fsmsim/results."))
            .collect();
        files.sort();
        // The directory then contains only those results and its `.gitignore`.
        if files
            .iter()
            .filter(|path| path.starts_with(".fsmsim/"))
            .count()
            == 1
        {
            files.retain(|path| path != ".fsmsim/.gitignore");
        }
        files
    }

    /// The scenario files, without tables, defaults and shared turns.
    pub(crate) fn scenario_files(&self) -> Vec<String> {
        let is_of_scenarios = |path: &String| {
            path.starts_with("scenarios/")
                && Path::new(path)
                    .extension()
                    .is_none_or(|extension| extension != "csv")
                && !path.ends_with("_defaults.yaml")
                && !path.contains("/shared/")
        };
        self.files().into_iter().filter(is_of_scenarios).collect()
    }

    /// Copies a file or folder of the repository.
    pub(crate) fn with(self, path: &str) -> Self {
        let from = home(path);
        for file in if from.is_dir() {
            walk(&from)
        } else {
            vec![from]
        } {
            let inner = file.strip_prefix(home("")).unwrap();
            self.write(inner.to_str().unwrap(), std::fs::read(&file).unwrap());
        }
        self
    }

    /// Copies the flows of the repository.
    pub(crate) fn with_flows(self) -> Self {
        self.with("flows")
    }

    /// A project with all models and scenarios of the repository and the files that they use.
    pub(crate) fn library() -> Self {
        Self::new()
            .with_flows()
            .with("states")
            .with("scenarios")
            .with("fixtures")
    }

    /// A project with the contract of the repository and its backend.
    pub(crate) fn accounting() -> Self {
        Self::new()
            .with("flows/accounting.yaml")
            .with("fixtures/backends/accounting.yaml")
    }

    /// Prepares a run of the binary in this project.
    pub(crate) fn fsmsim(&self, arguments: impl IntoIterator<Item: AsRef<OsStr>>) -> Invocation {
        self.invoke(Command::new(env!("CARGO_BIN_EXE_fsmsim")))
            .args(arguments)
    }

    /// Prepares a run of another command, such as a copy of the binary or the binary as another user.
    pub(crate) fn invoke(&self, command: Command) -> Invocation {
        Invocation::new(command, &self.folder)
    }
}
