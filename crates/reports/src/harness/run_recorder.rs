//! Records a run of scenarios for reports and for the next run.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::report::{ReportedFinding, ReportedRun, ReportedSelection, RunPage, RunReport};
use fsmsim_core::engine::Machine;
use fsmsim_harness::diff::{FailedScenario, KnownCause};
use fsmsim_harness::review::FormerModels;
use fsmsim_harness::scenario::{InputHashes, ModelKey, ScenarioVerdict, Suite};
use fsmsim_harness::selection::RunHistory;
use fsmsim_harness::snapshot::SnapshotMode;
use fsmsim_harness::suite::{FinishedScenario, SuiteEnd, SuiteObserver, SuitePart};
use fsmsim_runtime::project::{ArtifactLayout, ModelCache};
use fsmsim_syntax::diagnostic::{Diagnostic, Severity};
use fsmsim_syntax::threads::{Shard, Threads};

/// Records a run of scenarios for reports and for the next run.
#[derive(Debug)]
pub struct RunRecorder {
    pub report: RunReport,
    /// The models of the run, by relative path. Empty if only failed scenarios are recorded.
    machines: BTreeMap<String, Arc<Machine>>,
    /// Whether the report contains the duration of each scenario.
    pub with_times: bool,
    /// Whether all scenarios are recorded, or only the failed ones.
    is_complete: bool,
    failed: Vec<FailedScenario>,
    /// The IDs of the failed scenarios.
    failed_ids: Vec<String>,
    history: Option<RunHistory>,
    hashes: InputHashes,
    /// The command with the arguments that select scenarios or change their results, without the shard.
    pub command: String,
    layout: ArtifactLayout,
}

impl RunRecorder {
    /// The recorder of a suite, before it runs. Passing scenarios are recorded only if `is_complete` is set.
    pub fn new(suite: &Suite<'_>, shard: Option<Shard>, is_complete: bool) -> Self {
        let project = suite.runner.project;
        let layout = project.artifacts_in(&project.snapshots);
        let mut report = RunReport::new(ReportedRun::Test, shard);
        report.checked = suite.snapshots.mode() == SnapshotMode::Check;
        report.head.project = project.path_in_repository();
        Self {
            report,
            machines: BTreeMap::new(),
            with_times: false,
            is_complete,
            failed: Vec::new(),
            failed_ids: Vec::new(),
            history: None,
            hashes: InputHashes::new(layout.clone()),
            command: "fsmsim test".to_owned(),
            layout,
        }
    }

    /// Stores the results for `fsmsim test --failed`, unless the suite runs in check mode.
    pub fn remembering(mut self, suite: &Suite<'_>) -> Self {
        if !self.report.checked {
            let mut history = RunHistory::unread(&suite.runner.project.root);
            let named = suite.files.named.iter();
            // If the history cannot be saved, `--failed` has less information in the next run.
            let _ = history.begin(named.map(|path| self.layout.from_root(path)).collect());
            self.history = Some(history);
        }
        self
    }

    /// A path relative to the project.
    pub fn from_root(&self, path: &str) -> String {
        self.layout.from_root(Path::new(path))
    }

    /// The diagrams and sources for the HTML report.
    pub fn page(&self) -> RunPage {
        let mut page = RunPage::default();
        for (path, machine) in &self.machines {
            page.add(path.clone(), machine, &|path| self.from_root(path));
        }
        page
    }

    fn add(&mut self, scenario: &FinishedScenario, models: &mut ModelCache) {
        let FinishedScenario {
            address,
            result,
            records,
        } = scenario;
        let verdict = result.verdict();
        if !self.is_complete && verdict.is_well() {
            return;
        }
        let from_root = |path: &str| self.layout.from_root(Path::new(path));
        self.report.push(address, result, records, &from_root);
        let Some(last) = self.report.scenarios.last_mut() else {
            return;
        };
        if self.with_times {
            last.seconds = Some(result.elapsed.as_secs_f64());
        }
        let Some(model) = &result.model else { return };
        if verdict == ScenarioVerdict::Failed {
            self.failed_ids.push(address.clone());
            self.failed.push(FailedScenario {
                model: model.clone(),
                file: PathBuf::from(&result.place.path),
                name: result.name(),
                line: result.place.line,
                turn: last.fell_in(),
            });
        }
        if self.is_complete {
            self.add_model(model, models);
        }
    }

    /// Records the version of the last scenario's model, or why that model is invalid.
    fn add_model(&mut self, model: &ModelKey, models: &mut ModelCache) {
        let path = self.layout.from_root(&model.path);
        if let Some(machine) = models.load(&model.path, model.variant) {
            self.machines.entry(path).or_insert(machine);
            return;
        }
        let found = models.findings(&model.path, model.variant);
        let is_error = |item: &&Diagnostic| item.severity == Severity::Error;
        if let Some(first) = found.and_then(|found| found.items().iter().find(is_error)) {
            self.report.say_model_is_broken(&path, &first.title);
        }
    }

    /// The report of the run. Failed scenarios are attributed to model edits since `former`. To find these edits, only
    /// failed scenarios run again.
    pub fn finish(
        mut self,
        suite: &Suite<'_>,
        end: &SuiteEnd,
        former: Option<&FormerModels>,
        threads: &Threads,
        findings: Vec<ReportedFinding>,
    ) -> RunReport {
        let from_root = |path: &str| self.layout.from_root(Path::new(path));
        let report = &mut self.report;
        if let Some(former) = former.filter(|_| !suite.is_canceled()) {
            let causes = former.causes(&self.failed, &suite.runner, threads);
            let known: BTreeMap<String, KnownCause> = self
                .failed_ids
                .into_iter()
                .zip(causes)
                .filter_map(|(id, cause)| Some((id, cause?)))
                .collect();
            report.put_down(&known, &former.prefix(), &from_root);
        }
        if let Some(mut history) = self.history.filter(|_| !end.is_stopped) {
            let _ = history.finish();
        }
        let from_root = |path: &PathBuf| self.layout.from_root(path);
        let orphans = end.left.orphans.iter().map(|orphan| &orphan.path);
        report.orphans = orphans.map(from_root).collect();
        report.pending = end.left.pending.iter().map(from_root).collect();
        report.findings = findings;
        report.coverage = suite
            .counts_coverage
            .then(|| end.coverage.report(suite.runner.project));
        report.head.models = self
            .machines
            .into_iter()
            .map(|(path, machine)| (path, machine.files.fingerprint()))
            .collect();
        let files = self.hashes.files();
        report.head.files = files
            .map(|(name, hash)| (name.to_owned(), format!("{hash:016x}")))
            .collect();
        report.head.selection = end.scenarios.map(|(scenarios, hash)| ReportedSelection {
            scenarios,
            hash: format!("{hash:016x}"),
            command: self.command,
        });
        report.finish();
        self.report
    }
}

impl SuiteObserver for RunRecorder {
    fn finished(&mut self, part: &SuitePart, models: &mut ModelCache) {
        for scenario in &part.scenarios {
            self.add(scenario, models);
        }
        // A report also contains the files without selected scenarios, so that shards can be compared.
        let mut shared = self.hashes.of_shared(&part.sources);
        let mut verdicts = Vec::new();
        for scenario in &part.scenarios {
            let result = &scenario.result;
            let model = result.model.as_ref();
            let hash = self.hashes.of(&mut shared, &result.inputs, model, models);
            if !result.title.is_empty() {
                verdicts.push((scenario.address.as_str(), result.verdict(), hash));
            }
        }
        if let Some(history) = &self.history {
            let _ = history.add(verdicts);
        }
    }
}
