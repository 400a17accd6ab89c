//! Operations on the project.

use serde_json::{Value as Json, json};

use crate::studio::empty_project::CreateBody;
use crate::studio::operation::{Nothing, StudioOperation, immediately, operations};
use crate::studio::refusal::Refusal;
use crate::studio::studio_state::StudioState;
use fsmsim_runtime::project::project_models;
use fsmsim_syntax::diagnostic::Diagnostics;

operations! {
    "models" => immediately(|bench, _: &Nothing| Ok(models(bench)));
    "project/create" => immediately(not_created);
}

/// Rejects the creation of a project that already exists: another tab or process created it first.
fn not_created(bench: &mut StudioState, _: &CreateBody) -> Result<Json, Refusal> {
    Err(Refusal::cannot(
        format!("the folder already has a model: `{}`", bench.model_name()),
        "reload the page to use it; nothing was written",
    ))
}

/// The models in the project, by relative path.
fn models(bench: &StudioState) -> Json {
    let settings = &bench.settings;
    // Folders that cannot be read have no models.
    let paths = project_models(&settings.project, &mut Diagnostics::default());
    let listed = paths.iter().map(|path| {
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        json!({"path": settings.named_from_root(path), "name": name})
    });
    json!({"models": listed.collect::<Vec<_>>()})
}
