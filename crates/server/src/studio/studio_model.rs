//! The model of the dialogue and the state of its files.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::Serialize;
use serde_json::{Value as Json, json};

use super::studio_settings::StudioSettings;
use fsmsim_core::engine::Machine;
use fsmsim_core::machine::Profile;
use fsmsim_harness::interactive::WatchedFiles;
use fsmsim_reports::report::ReportedFinding;
use fsmsim_runtime::project::ModelCache;
use fsmsim_syntax::diagnostic::{Diagnostics, render};
use fsmsim_syntax::files::real_path;

/// The model of the dialogue: its last valid version, and the errors of the current files.
pub(super) struct StudioModel {
    /// The path as the user gave it.
    pub path: PathBuf,
    pub profile: Profile,
    /// The last valid version.
    pub machine: Arc<Machine>,
    /// The version number.
    pub revision: u64,
    /// The state of its files at the last check.
    pub edited: WatchedFiles,
    /// The errors of the current files; `None` if the machine is compiled from them.
    pub broken: Option<BrokenModel>,
}

/// Why a model is invalid.
#[derive(Clone, Debug, Serialize)]
pub(super) struct BrokenModel {
    /// The rendered findings.
    pub text: String,
    /// The individual findings.
    pub findings: Vec<ReportedFinding>,
}

/// The result of a reload.
pub(super) enum ModelUpdate {
    /// Nothing has changed.
    None,
    /// There is a new version. It becomes current after the dialogue is replayed on it.
    Edited(Arc<Machine>),
    /// The model is invalid; the last valid version is kept.
    Broken,
    /// The model is valid again and equal to the last version.
    Fixed,
}

impl StudioModel {
    /// Loads a model.
    pub(super) fn load(
        settings: &StudioSettings,
        path: &Path,
        profile: Profile,
    ) -> Result<Self, BrokenModel> {
        Ok(Self::of(path, profile, read(settings, path, profile)?))
    }

    /// A model that is already loaded.
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

    /// Reloads the model from its files.
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
                    ModelUpdate::Fixed
                } else {
                    ModelUpdate::None
                }
            }
        }
    }

    /// Makes a new version current.
    pub(super) fn take(&mut self, machine: Arc<Machine>) {
        self.machine = machine;
        self.revision += 1;
    }

    /// The model as JSON for the page, with relative paths.
    pub(super) fn view(&self, settings: &StudioSettings) -> Json {
        let machine = &self.machine;
        let header = &self.machine.header;
        let files = machine
            .files
            .used_files()
            .map(|file| settings.named_from_root(Path::new(file.path())));
        json!({
            "path": settings.named_from_root(&self.path),
            "name": header.name,
            "dialect": header.dialect,
            "profile": machine.shown_profile(),
            "states": machine.declared_names().count(),
            "files": files.collect::<Vec<_>>(),
            "broken": self.broken,
        })
    }

    /// The model files, by canonical path.
    pub(super) fn files(&self) -> BTreeSet<PathBuf> {
        let files = self
            .machine
            .files
            .used_files()
            .map(|file| real_path(Path::new(file.path())));
        files.collect()
    }

    /// Whether a saved file belongs to the model. A new file in the model folder also counts, because it can change the
    /// model.
    pub(super) fn is_made_of(&self, saved: &BTreeSet<PathBuf>) -> bool {
        let files = self.files();
        let folder = real_path(&self.path);
        saved
            .iter()
            .any(|path| files.contains(path) || path.starts_with(&folder))
    }
}

/// Loads a model from its files.
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
