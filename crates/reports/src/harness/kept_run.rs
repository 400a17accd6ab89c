//! What is kept of a run of scenarios.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::report::{ReportedFinding, ReportedRun, RunCollector, RunReport};
use fsmsim_harness::coverage::CoverageReport;
use fsmsim_harness::diff::{FallenScenario, KnownCause};
use fsmsim_harness::review::FormerModels;
use fsmsim_harness::scenario::{
    Runner, ScenarioResult, ScenarioVerdict, SuitePart, scenario_address,
};
use fsmsim_harness::selection::RunHistory;
use fsmsim_harness::snapshot::{LeftSnapshots, SnapshotMode};
use fsmsim_runtime::project::{ArtifactLayout, ModelCache, Project};
use fsmsim_syntax::diagnostic::Severity;
use fsmsim_syntax::threads::{Shard, Threads};

/// What is kept of a run of scenarios, for reports and for the next run.
#[derive(Debug)]
pub struct KeptRun {
    /// What was run.
    pub report: RunReport,
    /// The scenarios that fell short and ask nobody outside, by address.
    fallen: Vec<(String, FallenScenario)>,
    history: RunHistory,
    layout: ArtifactLayout,
}

impl KeptRun {
    /// Nothing came yet of a run of what is named.
    pub fn begin(
        project: &Project,
        mode: SnapshotMode,
        shard: Option<Shard>,
        named: &[PathBuf],
    ) -> Self {
        let report = RunReport::new(ReportedRun::Test, shard);
        let report = RunReport {
            checked: mode == SnapshotMode::Check,
            ..report
        };
        let layout = project.artifacts_in(&project.snapshots);
        let mut history = RunHistory::of(&project.root);
        if mode != SnapshotMode::Check {
            let under = named.iter().map(|path| layout.from_root(path)).collect();
            // Where it cannot be kept, `--failed` knows less the next time, and nothing else.
            let _ = history.begin(under);
        }
        Self {
            report,
            fallen: Vec::new(),
            history,
            layout,
        }
    }

    /// A path from the project.
    pub fn from_root(&self, path: &str) -> String {
        self.layout.from_root(Path::new(path))
    }

    /// The address of a scenario.
    pub fn address(&self, result: &ScenarioResult) -> String {
        let file = self.from_root(&result.place.path);
        if result.title.is_empty() {
            return file;
        }
        scenario_address(&file, &result.title, result.case.as_deref())
    }

    /// Keeps what became of a scenario.
    pub fn add(&mut self, result: &ScenarioResult, collected: Option<&RunCollector>) {
        let layout = &self.layout;
        let from_root = |path: &str| layout.from_root(Path::new(path));
        self.report.push(
            result,
            collected.and_then(|collected| collected.records.as_ref()),
            &from_root,
        );
        let Some(last) = self.report.scenarios.last() else {
            return;
        };
        if let Some(model) = result
            .model
            .as_ref()
            .filter(|_| result.verdict() == ScenarioVerdict::Failed)
        {
            let (file, line) = (PathBuf::from(&result.place.path), result.place.line);
            let fallen = FallenScenario {
                model: model.clone(),
                file,
                name: result.name(),
                line,
                turn: last.fell_in(),
            };
            self.fallen.push((last.id.clone(), fallen));
        }
    }

    /// Keeps of which version a model is that the last scenario names, or why that cannot be used; its path from the project.
    pub fn add_model(
        &mut self,
        result: &ScenarioResult,
        models: &mut ModelCache,
    ) -> Option<String> {
        let model = result.model.as_ref()?;
        let path = self.layout.from_root(&model.path);
        let Some(machine) = models.load(&model.path, model.variant()) else {
            let found = models.findings(&model.path, model.variant());
            let first = found.and_then(|found| {
                found
                    .items()
                    .iter()
                    .find(|item| item.severity == Severity::Error)
            });
            if let Some(first) = first {
                self.report.say_model_is_broken(&path, &first.title);
            }
            return None;
        };
        self.report
            .head
            .models
            .entry(path.clone())
            .or_insert_with(|| machine.files.fingerprint());
        Some(path)
    }

    /// Remembers what came of scenarios for the next run.
    pub fn remember<C>(&self, part: &SuitePart<C>) {
        let titled = part
            .results
            .iter()
            .filter(|(result, _)| !result.title.is_empty());
        let verdicts: Vec<_> = titled
            .map(|(result, _)| (self.address(result), result.verdict()))
            .collect();
        let _ = self.history.add(verdicts);
    }

    /// Puts those that fell short down to what was edited in their models, where that is known. Only they are played again.
    pub fn put_down(&mut self, former: &FormerModels, runner: &Runner<'_>, threads: &Threads) {
        let (ids, fallen): (Vec<String>, Vec<FallenScenario>) =
            std::mem::take(&mut self.fallen).into_iter().unzip();
        let from_root = |path: &str| self.layout.from_root(Path::new(path));
        let known = former.causes(&fallen, runner, threads);
        let known: BTreeMap<String, KnownCause> = ids
            .into_iter()
            .zip(known)
            .filter_map(|(id, cause)| Some((id, cause?)))
            .collect();
        self.report.put_down(&known, &former.prefix(), &from_root);
    }

    /// The run is over: what is to be told of scenarios is in order.
    pub fn end(&mut self, is_stopped: bool) {
        if !is_stopped {
            let _ = self.history.finish();
        }
        self.report.finish();
    }

    /// The whole report.
    pub fn close(
        self,
        left: &LeftSnapshots,
        findings: Vec<ReportedFinding>,
        coverage: Option<CoverageReport>,
    ) -> RunReport {
        let Self {
            mut report, layout, ..
        } = self;
        report.orphans = left
            .orphans
            .iter()
            .map(|orphan| layout.from_root(&orphan.path))
            .collect();
        report.pending = left
            .pending
            .iter()
            .map(|path| layout.from_root(path))
            .collect();
        report.findings = findings;
        report.finish();
        report.coverage = coverage;
        report
    }
}
