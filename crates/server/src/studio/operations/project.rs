//! Operations on the project.

use serde_json::{Value as Json, json};

use crate::studio::empty_project::CreateBody;
use crate::studio::operation::{Nothing, StudioOperation, at_once, operations};
use crate::studio::refusal::Refusal;
use crate::studio::workbench::Workbench;
use fsmsim_runtime::project::project_models;
use fsmsim_syntax::diagnostic::Diagnostics;

operations! {
    "models" => at_once(|bench, _: &Nothing| Ok(models(bench)));
    "project/create" => at_once(not_created);
}

/// Rejects the creation of a project if there is one: another tab or another process was first.
fn not_created(bench: &mut Workbench, _: &CreateBody) -> Result<Json, Refusal> {
    Err(Refusal::cannot(
        format!("the folder has a model now: `{}`", bench.model_name()),
        "nothing was written; reload the page to play it",
    ))
}

/// The models of the project, by relative path.
fn models(bench: &Workbench) -> Json {
    let settings = &bench.settings;
    // Folders that cannot be read have no models.
    let paths = project_models(&settings.project, &mut Diagnostics::default());
    let listed = paths.iter().map(|path| {
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        json!({"path": settings.named_from_root(path), "name": name})
    });
    json!({"models": listed.collect::<Vec<_>>()})
}
