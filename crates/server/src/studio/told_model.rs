//! What tabs are told of the model.

use std::path::Path;

use serde::Serialize;

use super::studio_model::{BrokenModel, StudioModel};
use fsmsim_runtime::project::Project;

/// What tabs are told of the model.
#[derive(Debug, Serialize)]
pub(super) struct ToldModel {
    /// Its path from the project.
    path: String,
    name: String,
    dialect: &'static str,
    profile: &'static str,
    /// How many states it has.
    states: usize,
    /// Its files, by their paths from the project.
    files: Vec<String>,
    /// What is wrong with its files as they are.
    broken: Option<BrokenModel>,
}

impl ToldModel {
    pub(super) fn of(model: &StudioModel, project: &Project) -> Self {
        let layout = project.artifacts_in(&project.snapshots);
        let (machine, from_root) = (&model.machine, |path: &str| {
            layout.from_root(Path::new(path))
        });
        Self {
            path: layout.from_root(&model.path),
            name: machine.header.name.clone(),
            dialect: machine.header.dialect,
            profile: model.profile.name(),
            states: machine.declared_states().count(),
            files: machine
                .files
                .used_files()
                .map(|file| from_root(file.path()))
                .collect(),
            broken: model.broken.clone(),
        }
    }
}
