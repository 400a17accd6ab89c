//! One run of the scenarios of a project, with everything that can be reported of it.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::run_recorder::RunRecorder;
use super::told_findings::ToldFindings;
use crate::report::{ReportedFinding, RunReport};
use fsmsim_harness::review::FormerModels;
use fsmsim_harness::scenario::{Runner, Suite, SuiteCounts};
use fsmsim_harness::selection::ScenarioFilter;
use fsmsim_harness::snapshot::SnapshotMode;
use fsmsim_harness::suite::{SuiteObserver, SuitePart};
use fsmsim_runtime::project::{ModelCache, Project};
use fsmsim_syntax::diagnostic::{Diagnostics, SourceMap};
use fsmsim_syntax::threads::{Mutex, Threads};

/// One run of the scenarios of a project, as they say themselves: no live model is asked, and nothing is accepted.
pub struct SuiteRun {
    pub project: Project,
    /// The configuration root, instead of the nearest.
    pub config: Option<PathBuf>,
    /// The files and folders, and scenarios by their addresses; without any, the folder of the project's scenarios.
    pub paths: Vec<PathBuf>,
    /// Which scenarios of these are wanted.
    pub filter: ScenarioFilter,
    /// Whether coverage is counted.
    pub covers: bool,
    /// Nothing is written, as in continuous integration.
    pub checks: bool,
    /// Whoever sets it has seen enough: no further scenario is played.
    pub stopped: Arc<AtomicBool>,
}

/// How far a run is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SuiteProgress {
    /// Files that are done.
    pub done: usize,
    /// Of how many.
    pub of: usize,
    /// What the scenarios came to.
    pub counts: SuiteCounts,
}

/// What a run came to.
#[derive(Debug)]
pub struct SuiteRunResult {
    pub report: RunReport,
    /// Its findings as a terminal shows them, in the order in which they came.
    pub told: Vec<String>,
    /// The texts of what coverage is counted of, by path from the project.
    pub sources: BTreeMap<String, Arc<str>>,
}

impl SuiteRun {
    /// Runs the scenarios, and tells after each file how far it is.
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
        let (mut found, mut log) = (Diagnostics::default(), ToldFindings::default());
        let models = Mutex::new(ModelCache::new(&self.project, self.config));
        let runner = Runner::new(&self.project, &models);
        let suite = Suite {
            selection: &self.filter,
            keeps_records: true,
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
            tell: progress,
        };
        let end = suite.run(threads, &mut [&mut log, &mut recorder, &mut progress]);
        let (findings, told) = log.take(&|path| recorder.from_root(path));
        let former = FormerModels::committed();
        Ok(SuiteRunResult {
            report: recorder.finish(&suite, &end, Some(&former), threads, findings),
            told,
            sources: end.coverage.sources(&self.project),
        })
    }
}

/// Tells after each file how far a run is.
struct ProgressObserver<'p> {
    so_far: SuiteProgress,
    tell: &'p mut dyn FnMut(&SuiteProgress),
}

impl SuiteObserver for ProgressObserver<'_> {
    fn finished(&mut self, part: &SuitePart, _: &mut ModelCache) {
        for scenario in &part.scenarios {
            self.so_far.counts.push(&scenario.result);
        }
        if part.ends_file {
            self.so_far.done += 1;
            (self.tell)(&self.so_far);
        }
    }
}
