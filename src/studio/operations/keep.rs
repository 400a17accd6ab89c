//! A dialogue is kept as a scenario, and run at once.

use std::path::Path;
use std::sync::Mutex;

use serde::{Deserialize, Serialize};

use crate::diagnostic::Diagnostics;
use crate::project::ModelCache;
use crate::rehearsal::SavedFormat;
use crate::report::{ReportedFailure, ReportedRun, RunReport};
use crate::scenario::{Runner, ScenarioFiles, ScenarioVerdict, Suite, SuitePart, scenario_address};
use crate::snapshot::{SnapshotChecker, SnapshotMode};
use crate::studio::operation::{StudioOperation, at_once};
use crate::studio::refusal::Refusal;
use crate::studio::scenario_path::ScenarioPath;
use crate::studio::workbench::Workbench;
use crate::threads::Threads;

/// The operations of this family.
pub(super) const OPERATIONS: &[StudioOperation] =
    &[StudioOperation { name: "save", run: |bench, body, reply| at_once(bench, body, reply, save) }];

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SaveBody {
    title: String,
    /// From the folder of scenarios; a name is found where none is given.
    #[serde(default)]
    file: Option<String>,
}

/// A scenario that was written, and what running it came to.
#[derive(Serialize)]
struct SavedScenario {
    file: String,
    address: String,
    verdict: ScenarioVerdict,
    failures: Vec<ReportedFailure>,
}

fn save(bench: &mut Workbench, body: &SaveBody) -> Result<SavedScenario, Refusal> {
    if bench.settings.is_ci {
        return Err(Refusal::cannot("nothing is written where `CI` is set", "save the scenario where you work"));
    }
    let title = body.title.trim();
    if title.is_empty() || title.chars().any(char::is_control) {
        return Err(Refusal::cannot("a scenario needs a title", "say in a few words what happens in it"));
    }
    let project = &bench.settings.project;
    let format = body.file.as_deref().and_then(|file| SavedFormat::of(Path::new(file))).unwrap_or(SavedFormat::Yaml);
    let text = bench.rehearsal.to_scenario(title, format).map_err(|why| Refusal::cannot(why, ""))?;
    let place = match body.file.as_deref().filter(|file| !file.is_empty()) {
        Some(file) => ScenarioPath::new(file, project)?,
        None => ScenarioPath::unnamed(title, project)?,
    };
    place.write(&text)?;
    run(bench, place.path(), title)
}

/// Runs the scenario of a file.
fn run(bench: &Workbench, path: &Path, title: &str) -> Result<SavedScenario, Refusal> {
    let project = &bench.settings.project;
    let layout = project.artifacts_in(&project.snapshots);
    let from_root = |path: &str| layout.from_root(Path::new(path));
    let file = layout.from_root(path);
    let mut found = Diagnostics::default();
    let files = ScenarioFiles::under(&[path.to_path_buf()], &mut found);
    let models = Mutex::new(ModelCache::new(project, bench.settings.config.clone()));
    let suite = Suite {
        runner: Runner { project, models: &models, profile: None, answerers: None },
        selection: &(),
        repeat: None,
        plays_all: false,
        snapshots: SnapshotChecker::new(project, SnapshotMode::Check, &mut found),
        fails_fast: false,
        checks_determinism: false,
        time_limit: None,
        watches: false,
    };
    let mut report = RunReport::new(ReportedRun::Test, None);
    let threads = Threads::new(1).map_err(|error| Refusal::cannot(format!("it cannot be run: {error}"), ""))?;
    suite.run(&threads, files, &|| (), &mut |part: SuitePart<()>| {
        for (result, _) in &part.results {
            report.push(result, None, &from_root);
        }
    });
    let scenario = report.scenarios.pop();
    let address = scenario_address(&file, title, None);
    let (verdict, failures) = match scenario {
        Some(scenario) => (scenario.verdict, scenario.failures),
        None => (ScenarioVerdict::Unusable, Vec::new()),
    };
    Ok(SavedScenario { file, address, verdict, failures })
}
