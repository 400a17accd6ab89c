//! A dialogue is kept as a scenario, and run at once, or is handed to the browser for people.

use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::studio::operation::{StudioOperation, at_once, operations};
use crate::studio::refusal::Refusal;
use crate::studio::workbench::Workbench;
use fsmsim_harness::rehearsal::SavedFormat;
use fsmsim_reports::harness::{SavedScenario, ScenarioPath};
use fsmsim_reports::report::ConversationReport;

operations! {
    "save" => at_once(save);
    "export" => at_once(export);
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

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ExportBody {
    /// The kind of the report: `html` or `markdown`.
    kind: String,
}

/// A file for the browser to save.
#[derive(Serialize)]
struct ConversationFile {
    /// Its name.
    file: String,
    text: String,
}

fn export(bench: &mut Workbench, body: &ExportBody) -> Result<ConversationFile, Refusal> {
    let kinds = ConversationReport::KINDS;
    let kind = kinds.into_iter().find(|kind| kind.name() == body.kind);
    let kind = kind.ok_or_else(|| {
        let error = format!("unknown kind `{}`", body.kind);
        Refusal::bad(error, "use `html` or `markdown`")
    })?;
    let report = ConversationReport::of(&bench.rehearsal)?;
    let mut text = Vec::new();
    report
        .write(kind, &mut text)
        .map_err(|error| format!("the dialogue cannot be written: {error}"))?;
    Ok(ConversationFile {
        file: report.file_name(kind),
        text: String::from_utf8_lossy(&text).into_owned(),
    })
}
