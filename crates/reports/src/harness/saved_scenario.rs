//! Saves a scenario and runs it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::reported_findings::ReportedFindings;
use super::run_recorder::RunRecorder;
use super::scenario_path::ScenarioPath;
use crate::report::{ReportKind, ReportedFailure, ReportedFinding, RunPage, RunReport, RunWriter};
use fsmsim_harness::scenario::{Runner, ScenarioVerdict, Suite, scenario_address};
use fsmsim_harness::snapshot::SnapshotMode;
use fsmsim_harness::suite::SuiteObserver;
use fsmsim_runtime::project::{ModelCache, Project};
use fsmsim_syntax::diagnostic::{Checked, Diagnostic, Diagnostics, SourceMap};
use fsmsim_syntax::threads::{Mutex, Threads};

/// A saved scenario and its result.
#[derive(Debug, Serialize)]
pub struct SavedScenario {
    /// The file, relative to the project.
    pub file: String,
    /// The scenario ID.
    pub address: String,
    pub verdict: ScenarioVerdict,
    /// The reason of a failure that is not an unmet expectation.
    pub reason: Option<String>,
    /// The unmet expectations.
    pub failures: Vec<ReportedFailure>,
    /// The findings about the scenario and its models.
    pub findings: Vec<ReportedFinding>,
    /// The findings and failures as text for a terminal; empty if the scenario passed.
    #[serde(skip)]
    pub messages: String,
}

impl SavedScenario {
    /// Trims a title, and rejects an empty one.
    pub fn title(given: &str) -> Checked<&str> {
        let title = given.trim();
        if title.is_empty() || title.chars().any(char::is_control) {
            return Diagnostic::bad_arguments("missing title of the scenario")
                .help("describe the dialogue in a few words on one line")
                .fail();
        }
        Ok(title)
    }

    /// Writes a scenario and runs it.
    ///
    /// # Errors
    /// Returns a finding if the file cannot be written or the scenario cannot run.
    pub fn write(
        text: &str,
        title: &str,
        place: &ScenarioPath,
        project: &Project,
        config: Option<PathBuf>,
    ) -> Checked<Self> {
        place.write(text)?;
        Self::run(&place.path, title, project, config)
    }

    fn run(path: &Path, title: &str, project: &Project, config: Option<PathBuf>) -> Checked<Self> {
        let threads = Threads::new(1).map_err(|error| {
            Box::new(Diagnostic::bad_arguments(format!(
                "cannot run the scenario: {error}"
            )))
        })?;
        let mut found = Diagnostics::default();
        let mut log = ReportedFindings::default();
        let models = Mutex::new(ModelCache::new(project, config));
        let runner = Runner::new(project, &models);
        let paths = [path.to_path_buf()];
        let suite = Suite::under(runner, &paths, SnapshotMode::Check, &mut found);
        log.found(&found, &SourceMap::default());
        let mut recorder = RunRecorder::new(&suite, None, true);
        suite.run(&threads, &mut [&mut log, &mut recorder]);
        let from_root = |path: &str| recorder.from_root(path);
        let file = from_root(&path.display().to_string());
        let (findings, mut messages) = log.take(&from_root);
        let mut report = recorder.report;
        if report
            .scenarios
            .iter()
            .any(|scenario| !scenario.verdict.is_well())
        {
            messages.extend(shown(&report));
        }
        let address = scenario_address(&file, title, None);
        let (verdict, reason, failures) = match report.scenarios.pop() {
            Some(scenario) => (scenario.verdict, scenario.reason, scenario.failures),
            None => (ScenarioVerdict::Invalid, None, Vec::new()),
        };
        Ok(Self {
            file,
            address,
            verdict,
            reason,
            failures,
            findings,
            messages: messages.join("\n\n"),
        })
    }
}

/// The result of a run as text for a terminal.
fn shown(report: &RunReport) -> Option<String> {
    let sources = BTreeMap::new();
    let page = RunPage::default();
    let mut text = Vec::new();
    RunWriter {
        report,
        sources: &sources,
        page: &page,
        comparison: None,
    }
    .write(ReportKind::Text, &mut text)
    .ok()?;
    Some(String::from_utf8_lossy(&text).trim_end().to_owned())
}
