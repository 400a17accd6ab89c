//! Files that scenarios name, after reading them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::shared_turns::SharedTurns;
use fsmsim_syntax::diagnostic::{Diagnostics, FileId};

/// Files that scenarios name, after reading them. Cloning is cheap.
#[derive(Clone, Debug, Default)]
pub(crate) struct SharedFiles {
    turns: Arc<BTreeMap<FileName, Result<Arc<SharedTurns>, Diagnostics>>>,
    tables: Arc<BTreeMap<FileName, Result<FileId, Diagnostics>>>,
}

/// A path as written and, if it starts with `./`, the directory of the file that contains the path.
type FileName = (Option<PathBuf>, Box<str>);

fn name(path: &str, file: &Path) -> FileName {
    let base = path
        .starts_with("./")
        .then(|| file.parent().unwrap_or(Path::new("")).to_path_buf());
    (base, path.into())
}

impl SharedFiles {
    /// The shared turns in a file that another file names.
    pub(super) fn turns(
        &self,
        path: &str,
        file: &Path,
    ) -> Option<&Result<Arc<SharedTurns>, Diagnostics>> {
        self.turns.get(&name(path, file))
    }

    /// The files of shared turns that were read.
    pub(crate) fn paths_of_turns(&self) -> impl Iterator<Item = &Path> {
        let turns = self.turns.values().flatten();
        turns.map(|turns| turns.path.as_path())
    }

    /// Whether files or keys of any shared turns depend on parameters.
    pub(crate) fn differ_by_parameter(&self) -> bool {
        self.turns
            .values()
            .any(|turns| turns.as_ref().is_ok_and(|turns| turns.differ_by_parameter))
    }

    pub(super) fn add_turns(
        &mut self,
        path: &str,
        file: &Path,
        turns: Result<Arc<SharedTurns>, Diagnostics>,
    ) {
        Arc::make_mut(&mut self.turns).insert(name(path, file), turns);
    }

    /// The case table that a scenario names.
    pub(crate) fn table(&self, path: &str, file: &Path) -> Option<&Result<FileId, Diagnostics>> {
        self.tables.get(&name(path, file))
    }

    pub(super) fn add_table(
        &mut self,
        path: &str,
        file: &Path,
        table: Result<FileId, Diagnostics>,
    ) {
        Arc::make_mut(&mut self.tables).insert(name(path, file), table);
    }
}
