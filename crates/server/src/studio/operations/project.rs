//! What there is in the project.

use serde::Serialize;

use crate::studio::operation::{Nothing, StudioOperation, at_once, operations};
use crate::studio::project_models::project_models;
use crate::studio::workbench::Workbench;
use fsmsim_syntax::diagnostic::Diagnostics;

operations! {
    "models" => at_once(|bench, _: &Nothing| Ok(models(bench)));
}

#[derive(Serialize)]
struct ModelsResponse {
    models: Vec<ListedModel>,
}

#[derive(Serialize)]
struct ListedModel {
    /// From the project.
    path: String,
    name: String,
}

/// The models of the project.
fn models(bench: &Workbench) -> ModelsResponse {
    let project = &bench.settings.project;
    let layout = project.artifacts_in(&project.snapshots);
    // What cannot be looked at is none.
    let paths = project_models(project.folder(), &mut Diagnostics::default());
    let listed = paths.iter().map(|path| ListedModel {
        path: layout.from_root(path),
        name: path
            .file_stem()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned(),
    });
    ModelsResponse {
        models: listed.collect(),
    }
}
