//! A dialogue is kept as a scenario, and run at once.

use std::path::Path;

use serde::Deserialize;

use crate::studio::operation::{StudioOperation, at_once, operations};
use crate::studio::refusal::Refusal;
use crate::studio::workbench::Workbench;
use fsmsim_harness::rehearsal::SavedFormat;
use fsmsim_reports::harness::{SavedScenario, ScenarioPath};

operations! {
    "save" => at_once(save);
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SaveBody {
    title: String,
    /// From the folder of scenarios; a name is found where none is given.
    #[serde(default)]
    file: Option<String>,
}

fn save(bench: &mut Workbench, body: &SaveBody) -> Result<SavedScenario, Refusal> {
    if bench.settings.is_ci {
        return Err(Refusal::cannot(
            "nothing is written where `CI` is set",
            "save the scenario where you work",
        ));
    }
    let title = SavedScenario::title(&body.title)?;
    let project = &bench.settings.project;
    let format = body
        .file
        .as_deref()
        .and_then(|file| SavedFormat::of(Path::new(file)))
        .unwrap_or(SavedFormat::Yaml);
    let text = bench.rehearsal.to_scenario(title, format)?;
    let place = match body.file.as_deref().filter(|file| !file.is_empty()) {
        Some(file) => ScenarioPath::new(file, project)?,
        None => ScenarioPath::unnamed(title, project)?,
    };
    Ok(SavedScenario::write(
        &text,
        title,
        &place,
        project,
        bench.settings.config.clone(),
    )?)
}
