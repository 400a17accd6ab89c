//! A run of the scenarios of a project, with all data for reports.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::reported_findings::ReportedFindings;
use super::run_recorder::RunRecorder;
use crate::report::{ReportedFinding, RunReport};
use fsmsim_harness::review::FormerModels;
use fsmsim_harness::scenario::{KeptRecords, Runner, Suite, SuiteCounts};
use fsmsim_harness::selection::ScenarioFilter;
use fsmsim_harness::snapshot::SnapshotMode;
use fsmsim_harness::suite::{SuiteObserver, SuitePart};
use fsmsim_runtime::project::{ModelCache, Project};
use fsmsim_syntax::diagnostic::{Diagnostics, SourceMap};
use fsmsim_syntax::threads::{Mutex, Threads};

/// A run of the scenarios of a project with the settings in the scenarios: no live LLM is called, and no snapshot is
/// accepted.
pub struct SuiteRun {
    pub project: Project,
    /// The configuration root; by default the nearest one.
    pub config: Option<PathBuf>,
    /// Files, folders and scenario IDs; by default the scenario folder of the project.
    pub paths: Vec<PathBuf>,
    /// The filter for the scenarios.
    pub filter: ScenarioFilter,
    /// Whether coverage is measured.
    pub covers: bool,
    /// Whether the run only checks, as in continuous integration: nothing is written.
    pub checks: bool,
    /// Stops the run: no further scenario starts.
    pub stopped: Arc<AtomicBool>,
}

/// The progress of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SuiteProgress {
    /// The number of finished files.
    pub done: usize,
    /// The number of all files.
    pub of: usize,
    /// The results so far.
    pub counts: SuiteCounts,
}

/// The result of a run.
#[derive(Debug)]
pub struct SuiteRunResult {
    pub report: RunReport,
    /// The findings as text for a terminal, in the order of the run.
    pub messages: Vec<String>,
    /// The texts of the source files with coverage, by relative path.
    pub sources: BTreeMap<String, Arc<str>>,
}

impl SuiteRun {
    /// Runs the scenarios, and reports the progress after each file.
    pub fn run(
        self,
        threads: &Threads,
        progress: &mut dyn FnMut(&SuiteProgress),
    ) -> Result<SuiteRunResult, Vec<ReportedFinding>> {
        let mode = if self.checks {
            SnapshotMode::Check
        } else {
            SnapshotMode::Propose
        };
        let mut found = Diagnostics::default();
        let mut log = ReportedFindings::default();
        let models = Mutex::new(ModelCache::new(&self.project, self.config));
        let runner = Runner::new(&self.project, &models);
        let suite = Suite {
            selection: &self.filter,
            keeps_records: KeptRecords::Unpassed,
            counts_coverage: self.covers,
            canceled: Some(&self.stopped),
            ..Suite::under(runner, &self.paths, mode, &mut found)
        };
        log.found(&found, &SourceMap::default());
        if found.has_errors() {
            return Err(log.take(&str::to_owned).0);
        }
        let mut recorder = RunRecorder::new(&suite, None, true).remembering(&suite);
        let mut progress = ProgressObserver {
            so_far: SuiteProgress {
                done: 0,
                of: suite.files.count(),
                counts: SuiteCounts::default(),
            },
            report: progress,
        };
        let end = suite.run(threads, &mut [&mut log, &mut recorder, &mut progress]);
        let (findings, messages) = log.take(&|path| recorder.from_root(path));
        let former = FormerModels::since(None, &self.project).ok();
        Ok(SuiteRunResult {
            report: recorder.finish(&suite, &end, former.as_ref(), threads, findings),
            messages,
            sources: end.coverage.sources(&self.project),
        })
    }
}

/// Reports the progress after each file.
struct ProgressObserver<'p> {
    so_far: SuiteProgress,
    report: &'p mut dyn FnMut(&SuiteProgress),
}

impl SuiteObserver for ProgressObserver<'_> {
    fn finished(&mut self, part: &SuitePart, _: &mut ModelCache) {
        for scenario in &part.scenarios {
            self.so_far.counts.push(&scenario.result);
        }
        if part.ends_file {
            self.so_far.done += 1;
            (self.report)(&self.so_far);
        }
    }
}
