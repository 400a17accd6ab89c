//! The index of a workspace: models, the files that run with them, and all names.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::file_index::FileIndex;
use super::named_kind::NamedKind;
use fsmsim_core::engine::Machine;

/// The project folder of a file: the nearest folder with an `fsmsim.toml`.
pub(super) fn project_folder(file: &Path) -> Option<&Path> {
    let mut above = file.ancestors().skip(1);
    above.find(|folder| folder.join("fsmsim.toml").is_file())
}

#[derive(Clone, Debug)]
pub(super) struct KnownModel {
    pub path: PathBuf,
    /// The files of the model.
    pub files: BTreeSet<PathBuf>,
    /// The machine of the last valid version of the files.
    pub machine: Option<Arc<Machine>>,
    /// Whether the machine is compiled from the current files.
    pub is_current: bool,
}

/// The index of a workspace.
#[derive(Clone, Debug, Default)]
pub(super) struct ProjectMap {
    pub models: BTreeMap<PathBuf, KnownModel>,
    /// The files that run with models, and the models of each.
    pub played: BTreeMap<PathBuf, BTreeSet<PathBuf>>,
    /// The indexed names in files on disk.
    pub indexes: BTreeMap<PathBuf, Arc<FileIndex>>,
    /// The targets of paths in files. The key is the file and the path as written in it.
    pub named: BTreeMap<(PathBuf, Box<str>), PathBuf>,
}

impl ProjectMap {
    /// The models that a file belongs to or runs with.
    pub(super) fn models_of(&self, file: &Path) -> BTreeSet<&Path> {
        let holding = self
            .models
            .values()
            .filter(|model| model.files.contains(file) || model.path == file);
        let played = self.played.get(file).into_iter().flatten();
        holding
            .map(|model| &*model.path)
            .chain(played.map(PathBuf::as_path))
            .collect()
    }

    /// The target of a path in a file.
    pub(super) fn file_named(&self, file: &Path, name: &str) -> Option<&PathBuf> {
        self.named.get(&(file.to_path_buf(), name.into()))
    }

    /// The targets of all paths of a kind in a file.
    pub(super) fn files_named(
        &self,
        file: &Path,
        index: &FileIndex,
        kind: NamedKind,
    ) -> impl Iterator<Item = PathBuf> {
        let places = index.places.iter().filter(move |place| place.kind == kind);
        places.filter_map(|place| self.file_named(file, &place.name).cloned())
    }

    /// The machines of these models, except for models that were never valid.
    pub(super) fn machines<'m>(
        &'m self,
        models: &BTreeSet<&'m Path>,
    ) -> impl Iterator<Item = &'m Arc<Machine>> {
        let known: Vec<_> = models
            .iter()
            .filter_map(|path| self.models.get(*path)?.machine.as_ref())
            .collect();
        known.into_iter()
    }

    /// The files of these models, and the files that run with them.
    pub(super) fn files_of(&self, models: &BTreeSet<&Path>) -> BTreeSet<&Path> {
        let own = models
            .iter()
            .filter_map(|path| self.models.get(*path))
            .flat_map(|model| &model.files);
        let played = self
            .played
            .iter()
            .filter(|(_, with)| with.iter().any(|model| models.contains(model.as_path())));
        own.map(PathBuf::as_path)
            .chain(played.map(|(file, _)| &**file))
            .collect()
    }
}
