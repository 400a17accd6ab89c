//! What is known of the files of a workspace: models, what is played with them, and the names in all of it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::file_index::FileIndex;
use super::named_kind::NamedKind;
use fsmsim_core::engine::Machine;

/// The folder of the project of a file: the nearest one with an `fsmsim.toml`.
pub(super) fn project_folder(file: &Path) -> Option<&Path> {
    let mut above = file.ancestors().skip(1);
    above.find(|folder| folder.join("fsmsim.toml").is_file())
}

/// A model of the workspace.
#[derive(Clone, Debug)]
pub(super) struct KnownModel {
    pub(super) path: PathBuf,
    /// The files it is made of.
    pub(super) files: BTreeSet<PathBuf>,
    /// The machine, as it was when the files could be used last.
    pub(super) machine: Option<Arc<Machine>>,
    /// Whether that is what the files say now.
    pub(super) is_current: bool,
}

/// What is known of the files of a workspace.
#[derive(Clone, Debug, Default)]
pub(super) struct ProjectMap {
    pub(super) models: BTreeMap<PathBuf, KnownModel>,
    /// Files that are played, each with the models that it is played with.
    pub(super) played: BTreeMap<PathBuf, BTreeSet<PathBuf>>,
    /// The names of files, as they lie on the disk.
    pub(super) indexes: BTreeMap<PathBuf, Arc<FileIndex>>,
    /// Files as they are named in files: what is written, by the file in which it is.
    pub(super) named: BTreeMap<(PathBuf, Box<str>), PathBuf>,
}

impl ProjectMap {
    /// The models to which a file belongs, or that are played in it.
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

    /// The file that a name in a file names.
    pub(super) fn file_named(&self, file: &Path, name: &str) -> Option<&PathBuf> {
        self.named.get(&(file.to_path_buf(), name.into()))
    }

    /// The files that the names of a kind in a file name.
    pub(super) fn files_named(
        &self,
        file: &Path,
        index: &FileIndex,
        kind: NamedKind,
    ) -> impl Iterator<Item = PathBuf> {
        let places = index.places.iter().filter(move |place| place.kind == kind);
        places.filter_map(|place| self.file_named(file, &place.name).cloned())
    }

    /// The machines of these models that could be used.
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

    /// The files of these models, and those that are played with them.
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
