//! Saves a dialogue as a scenario and runs it, or exports it as a document.

use std::path::Path;
use std::sync::Arc;
use std::thread;

use serde_json::{Value as Json, json};

use crate::studio::operation::{Reply, StudioOperation, bodies, immediately, later, operations};
use crate::studio::refusal::Refusal;
use crate::studio::studio_settings::StudioSettings;
use crate::studio::studio_state::StudioState;
use fsmsim_harness::interactive::SavedFormat;
use fsmsim_harness::scenario::{Runner, Suite};
use fsmsim_harness::snapshot::SnapshotMode;
use fsmsim_harness::suite::ExpectationUpdates;
use fsmsim_reports::harness::{SavedScenario, ScenarioPath};
use fsmsim_reports::report::ConversationReport;
use fsmsim_runtime::project::ModelCache;
use fsmsim_syntax::diagnostic::Diagnostics;
use fsmsim_syntax::files::{real_path, safe_stem};
use fsmsim_syntax::threads::{Mutex, Threads};

operations! {
    "save" => immediately(save);
    "export" => immediately(export);
    "scenario/update" => later(update);
}

bodies! {
    struct SaveBody {
        title: String,
        /// The path relative to the scenario folder; by default, derived from the title.
        file: Option<String>,
        /// Whether an existing file is replaced.
        #[serde(default)]
        replace: bool,
    }

    #[derive(Clone)]
    struct UpdateBody {
        /// The scenario ID, relative to the project.
        scenario: String,
    }

    struct ExportBody {
        /// The kind of the report: `html` or `markdown`.
        kind: String,
    }
}

fn save(bench: &mut StudioState, body: &SaveBody) -> Result<SavedScenario, Refusal> {
    if bench.settings.is_ci {
        return Err(Refusal::in_ci("save the scenario on your own computer"));
    }
    let title = SavedScenario::title(&body.title)?;
    let project = &bench.settings.project;
    let format = body
        .file
        .as_deref()
        .and_then(|file| SavedFormat::of(Path::new(file)))
        .unwrap_or(SavedFormat::Yaml);
    let text = bench.interactive.to_scenario(title, format)?;
    let named = body.file.as_ref().filter(|file| !file.is_empty());
    let unnamed = || {
        format!(
            "studio/{}.yaml",
            safe_stem(&title.to_lowercase(), "dialogue")
        )
    };
    let file = &named.map_or_else(unnamed, String::clone);
    let place = if body.replace {
        ScenarioPath::replacing(file, project)?
    } else {
        ScenarioPath::new(file, project).map_err(|finding| {
            let mut refusal = Refusal::from(finding);
            let there = ScenarioPath::replacing(file, project);
            refusal.exists = there.is_ok_and(|place| place.path.is_file());
            refusal
        })?
    };
    Ok(SavedScenario::write(
        &text,
        title,
        &place,
        project,
        bench.settings.config.clone(),
    )?)
}

/// Replaces failed expectations of a scenario with the current results.
fn update(bench: &mut StudioState, body: &UpdateBody, reply: Reply) {
    if bench.settings.is_ci {
        return reply.give(Err::<(), _>(Refusal::in_ci(
            "update the scenario on your own computer",
        )));
    }
    let settings = bench.settings.clone();
    let threads = Arc::clone(&bench.threads);
    let body = body.clone();
    thread::spawn(move || reply.give(updated(&body, &settings, &threads)));
}

fn updated(
    body: &UpdateBody,
    settings: &StudioSettings,
    threads: &Threads,
) -> Result<Json, Refusal> {
    let project = &settings.project;
    let models = Mutex::new(ModelCache::new(project, settings.config.clone()));
    let named = project.folder().join(&body.scenario);
    let file = named.to_string_lossy();
    let file = file.split_once("::").map_or(&*file, |(file, _)| file);
    if !real_path(Path::new(file)).starts_with(real_path(project.folder())) {
        let error = format!("`{}` is outside the project", body.scenario);
        return Err(Refusal::bad(
            error,
            "use the ID of a scenario in the project",
        ));
    }
    let paths = [named.clone()];
    let mut found = Diagnostics::default();
    let runner = Runner::new(project, &models);
    let suite = Suite::under(runner, &paths, SnapshotMode::Check, &mut found);
    if let Some(finding) = found.items().iter().find(|_| found.has_errors()) {
        return Err(finding.into());
    }
    let mut updates = ExpectationUpdates::default();
    suite.run(threads, &mut [&mut updates]);
    updates.plan(Runner::new(project, &models), threads);
    let written = updates.write(None);
    let changed: usize = written.iter().map(|(_, count)| count).sum();
    if changed == 0 {
        let mut help = updates.refusals();
        help.push("edit the file manually".to_owned());
        return Err(Refusal::cannot(
            "cannot update any expectation",
            help.join("; "),
        ));
    }
    Ok(json!({"changed": changed}))
}

/// Returns a file for the browser to save.
fn export(bench: &mut StudioState, body: &ExportBody) -> Result<Json, Refusal> {
    let kinds = ConversationReport::KINDS;
    let kind = kinds.into_iter().find(|kind| kind.name() == body.kind);
    let kind = kind.ok_or_else(|| {
        let error = format!("unknown kind `{}`", body.kind);
        Refusal::bad(error, "use `html` or `markdown`")
    })?;
    let report = ConversationReport::of(&bench.interactive)?;
    let mut text = Vec::new();
    report
        .write(kind, &mut text)
        .map_err(|error| format!("cannot write the dialogue: {error}"))?;
    Ok(json!({
        "file": report.file_name(kind),
        "text": String::from_utf8_lossy(&text),
    }))
}
