//! The HTML page of a run.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::sync::Arc;

use serde::Serialize;

use crate::report::page::{Page, PageGraph, RUN_SCRIPT, SourceExcerpt};
use crate::report::run::{
    ReportedCause, ReportedFinding, ReportedPlace, ReportedScenario, RunReport,
};
use fsmsim_core::engine::Machine;
use fsmsim_harness::coverage::{CoverageKind, CoverageVerdict, ModelReport};
use fsmsim_harness::flakiness::FlakinessResult;
use fsmsim_harness::scenario::ScenarioVerdict;
use fsmsim_syntax::diagnostic::plural;

/// The HTML page of a run: verdicts, causes, failures, and each failed dialogue next to the diagram of its model.
#[derive(Debug, Default)]
pub struct RunPage {
    /// The models, by their names in the report.
    models: BTreeMap<String, Arc<Machine>>,
    /// The model files by relative path, each with its model and its path in the model.
    files: BTreeMap<String, (Arc<Machine>, String)>,
}

/// The data of the page.
#[derive(Serialize)]
struct RunPageData<'r> {
    title: &'r str,
    models: Vec<&'r String>,
    scenarios: &'r [ReportedScenario],
    causes: &'r [ReportedCause],
    findings: &'r [ReportedFinding],
    orphans: &'r [String],
    pending: &'r [String],
    flakiness: Option<&'r FlakinessResult>,
    coverage: Vec<PageCoverage<'r>>,
    sources: BTreeMap<String, SourceExcerpt>,
}

/// The coverage of a model.
#[derive(Serialize)]
struct PageCoverage<'r> {
    model: &'r str,
    /// The kinds, each with the numbers of covered items and of all items.
    shares: Vec<(&'static str, usize, usize)>,
    /// The states that no scenario reached.
    missed: Vec<&'r str>,
}

impl RunPage {
    /// Adds a model by its relative path. The first version of a model is kept. `from_root` converts command-line paths
    /// to relative paths.
    pub fn add(
        &mut self,
        path: String,
        machine: &Arc<Machine>,
        from_root: &dyn Fn(&str) -> String,
    ) {
        if self.models.contains_key(&path) {
            return;
        }
        for file in machine.files.used_files() {
            let there = || (Arc::clone(machine), file.path().to_owned());
            self.files
                .entry(from_root(file.path()))
                .or_insert_with(there);
        }
        self.models.insert(path, Arc::clone(machine));
    }

    pub fn write(&self, report: &RunReport, out: &mut dyn Write) -> io::Result<()> {
        let title = sentence(report);
        let template = include_str!("../page/run.html");
        let page = Page {
            title: &title,
            template,
            script: RUN_SCRIPT,
            graphs: PageGraph::all(&self.models)?,
            ..Page::default()
        };
        let data = RunPageData {
            title: &title,
            models: report.head.models.keys().collect(),
            scenarios: &report.scenarios,
            causes: &report.causes,
            findings: &report.findings,
            orphans: &report.orphans,
            pending: &report.pending,
            flakiness: report.flakiness.as_ref(),
            coverage: report
                .coverage
                .iter()
                .flat_map(|coverage| &coverage.models)
                .map(PageCoverage::of)
                .collect(),
            sources: self.sources(report),
        };
        out.write_all(page.render(&data)?.as_bytes())
    }

    /// The source lines that decided failures.
    fn sources(&self, report: &RunReport) -> BTreeMap<String, SourceExcerpt> {
        let failures = report
            .scenarios
            .iter()
            .flat_map(|scenario| &scenario.failures);
        let rules = failures.flat_map(|failure| {
            let now = failure.by.as_ref().and_then(|by| by.at.as_ref());
            now.into_iter().chain(&failure.was_by)
        });
        let causes = report
            .causes
            .iter()
            .flat_map(|cause| cause.at.iter().chain(&cause.was_at));
        let excerpt = |place: &ReportedPlace| {
            let (machine, path) = self.files.get(&place.file)?;
            Some((
                place.to_string(),
                SourceExcerpt::of(machine.files.named(path)?, place.line?),
            ))
        };
        rules.chain(causes).filter_map(excerpt).collect()
    }
}

impl<'r> PageCoverage<'r> {
    fn of((model, report): (&'r String, &'r ModelReport)) -> Self {
        let missed = report
            .of(CoverageKind::States)
            .filter(|(_, count)| count.verdict() == CoverageVerdict::Missed);
        Self {
            model,
            shares: report
                .shares()
                .map(|(name, share)| (name, share.covered, share.all))
                .collect(),
            missed: missed.map(|(key, _)| &*key.name).collect(),
        }
    }
}

/// The result of a run in one sentence.
fn sentence(report: &RunReport) -> String {
    let count = report.counts().all();
    let all = plural(count, report.head.kind.noun());
    let verdicts = report.scenarios.iter().map(|scenario| scenario.verdict);
    let short = verdicts
        .clone()
        .filter(|verdict| !verdict.is_well())
        .count();
    match short + report.unlisted.failed {
        0 if count == 0 => "No scenarios were run".to_owned(),
        0 if verdicts
            .into_iter()
            .all(|verdict| verdict == ScenarioVerdict::Passed) =>
        {
            format!("{all} passed")
        }
        0 => format!("{all} without unexpected results"),
        short => format!("{short} of {all} did not pass"),
    }
}
