//! The model of the dialogue, as its files have it now.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::Serialize;
use serde_json::{Value as Json, json};

use super::studio_settings::StudioSettings;
use fsmsim_core::engine::Machine;
use fsmsim_core::machine::Profile;
use fsmsim_harness::rehearsal::WatchedFiles;
use fsmsim_reports::report::ReportedFinding;
use fsmsim_runtime::project::ModelCache;
use fsmsim_syntax::diagnostic::{Diagnostics, render};
use fsmsim_syntax::files::real_path;

/// The model of the dialogue: the last version of it that can be used, and what is wrong with the files where they are no
/// version that can be.
pub(super) struct StudioModel {
    /// Where it lies, as people name it.
    pub(super) path: PathBuf,
    pub(super) profile: Profile,
    /// The last version that can be used.
    pub(super) machine: Arc<Machine>,
    /// Its number: another one for each version.
    pub(super) revision: u64,
    /// Its files as they were when they were looked at last.
    pub(super) edited: WatchedFiles,
    /// What is wrong with the files as they are; nothing where the machine is made of them.
    pub(super) broken: Option<BrokenModel>,
}

/// Why the files of a model cannot be used.
#[derive(Clone, Debug, Serialize)]
pub(super) struct BrokenModel {
    /// The findings with their lines, for people.
    pub(super) text: String,
    /// One by one.
    pub(super) findings: Vec<ReportedFinding>,
}

/// What became of a model when a file of it was saved.
pub(super) enum ModelUpdate {
    /// It is what it was.
    None,
    /// There is a new version. It is that of the dialogue as soon as the dialogue is on it.
    Edited(Arc<Machine>),
    /// It cannot be used any more, or not yet; the last version goes on.
    Broken,
    /// The last version is what the files have again.
    Mended,
}

impl StudioModel {
    /// A model.
    pub(super) fn load(
        settings: &StudioSettings,
        path: &Path,
        profile: Profile,
    ) -> Result<Self, BrokenModel> {
        Ok(Self::of(path, profile, read(settings, path, profile)?))
    }

    /// A model that was read already.
    pub(super) fn of(path: &Path, profile: Profile, machine: Arc<Machine>) -> Self {
        let edited = WatchedFiles::of(&machine);
        Self {
            path: path.to_path_buf(),
            profile,
            machine,
            revision: 1,
            edited,
            broken: None,
        }
    }

    /// Looks what the files have now.
    pub(super) fn read_again(&mut self, settings: &StudioSettings) -> ModelUpdate {
        self.edited = WatchedFiles::of(&self.machine);
        match read(settings, &self.path, self.profile) {
            Err(broken) => {
                self.broken = Some(broken);
                ModelUpdate::Broken
            }
            Ok(machine) => {
                let was_broken = self.broken.take().is_some();
                if machine.files.fingerprint() != self.machine.files.fingerprint() {
                    return ModelUpdate::Edited(machine);
                }
                if was_broken {
                    ModelUpdate::Mended
                } else {
                    ModelUpdate::None
                }
            }
        }
    }

    /// The dialogue is on this version from now on.
    pub(super) fn take(&mut self, machine: Arc<Machine>) {
        (self.machine, self.revision) = (machine, self.revision + 1);
    }

    /// What tabs are told of it. Paths are those from the project.
    pub(super) fn told(&self, settings: &StudioSettings) -> Json {
        let (machine, header) = (&self.machine, &self.machine.header);
        let files = machine.files.used_files();
        let files = files.map(|file| settings.named_from_root(Path::new(file.path())));
        json!({
            "path": settings.named_from_root(&self.path),
            "name": header.name,
            "dialect": header.dialect,
            "profile": self.profile.name(),
            "states": machine.declared_states().count(),
            "files": files.collect::<Vec<_>>(),
            "broken": self.broken,
        })
    }

    /// Its files, by real paths; also those without which it cannot be used now.
    pub(super) fn files(&self) -> BTreeSet<PathBuf> {
        let files = self
            .machine
            .files
            .used_files()
            .map(|file| real_path(Path::new(file.path())));
        files.collect()
    }

    /// Whether one of these files, by real paths, is or may be one of its own: a folder may have got a file.
    pub(super) fn is_made_of(&self, saved: &BTreeSet<PathBuf>) -> bool {
        let (files, folder) = (self.files(), real_path(&self.path));
        saved
            .iter()
            .any(|path| files.contains(path) || path.starts_with(&folder))
    }
}

/// Reads a model anew.
fn read(
    settings: &StudioSettings,
    path: &Path,
    profile: Profile,
) -> Result<Arc<Machine>, BrokenModel> {
    let mut models = ModelCache::new(&settings.project, settings.config.clone());
    if let Some(machine) = models.load(path, profile) {
        return Ok(machine);
    }
    let found = models
        .findings(path, profile)
        .map(Diagnostics::without_key_notes)
        .unwrap_or_default();
    let from_root = |path: &str| settings.named_from_root(Path::new(path));
    let findings = found
        .items()
        .iter()
        .map(|finding| ReportedFinding::of(finding, models.sources(), &from_root));
    Err(BrokenModel {
        text: render(&found, models.sources(), false),
        findings: findings.collect(),
    })
}
