//! What there is in the project.

use serde_json::{Value as Json, json};

use crate::studio::bench_dialogue::project_models;
use crate::studio::operation::{Nothing, StudioOperation, at_once, operations};
use crate::studio::workbench::Workbench;
use fsmsim_syntax::diagnostic::Diagnostics;

operations! {
    "models" => at_once(|bench, _: &Nothing| Ok(models(bench)));
}

/// The models of the project, by their paths from it.
fn models(bench: &Workbench) -> Json {
    let settings = &bench.settings;
    // What cannot be looked at is none.
    let paths = project_models(settings.project.folder(), &mut Diagnostics::default());
    let listed = paths.iter().map(|path| {
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        json!({"path": settings.named_from_root(path), "name": name})
    });
    json!({"models": listed.collect::<Vec<_>>()})
}
