//! A scenario that was saved is run at once.

use std::path::{Path, PathBuf};
use std::sync::Mutex;

use serde::Serialize;

use super::scenario_path::ScenarioPath;
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::project::{ModelCache, Project};
use crate::report::{ReportedFailure, ReportedRun, RunReport};
use crate::scenario::{Runner, ScenarioFiles, ScenarioVerdict, Suite, SuitePart, scenario_address};
use crate::snapshot::{SnapshotChecker, SnapshotMode};
use crate::threads::Threads;

/// A scenario that was written, and what running it came to.
#[derive(Debug, Serialize)]
pub struct SavedScenario {
    /// The file, from the project.
    pub file: String,
    /// The address.
    pub address: String,
    /// What it came to.
    pub verdict: ScenarioVerdict,
    /// Where it fell short.
    pub failures: Vec<ReportedFailure>,
}

impl SavedScenario {
    /// A title, without blanks around it.
    ///
    /// # Errors
    /// The finding about a title that is none.
    pub fn title(given: &str) -> Result<&str, Box<Diagnostic>> {
        let title = given.trim();
        if title.is_empty() || title.chars().any(char::is_control) {
            let finding = Diagnostic::error(Code::BadArguments, "a scenario needs a title");
            return finding.help("say in a few words what happens in it").fail();
        }
        Ok(title)
    }

    /// Writes a scenario of this title, and runs it.
    ///
    /// # Errors
    /// The finding about a file that cannot be written; or that it cannot be run.
    pub fn write(
        text: &str,
        title: &str,
        place: &ScenarioPath,
        project: &Project,
        config: Option<PathBuf>,
    ) -> Result<Self, Box<Diagnostic>> {
        place.write(text)?;
        Self::run(place.path(), title, project, config)
    }

    fn run(path: &Path, title: &str, project: &Project, config: Option<PathBuf>) -> Result<Self, Box<Diagnostic>> {
        let layout = project.artifacts_in(&project.snapshots);
        let from_root = |path: &str| layout.from_root(Path::new(path));
        let file = layout.from_root(path);
        let mut found = Diagnostics::default();
        let files = ScenarioFiles::under(&[path.to_path_buf()], &mut found);
        let models = Mutex::new(ModelCache::new(project, config));
        let suite = Suite {
            runner: Runner { project, models: &models, profile: None, answerers: None, judge: None },
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
        let threads = Threads::new(1)
            .map_err(|error| Box::new(Diagnostic::error(Code::BadArguments, format!("it cannot be run: {error}"))))?;
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
        Ok(Self { file, address, verdict, failures })
    }
}
