//! One run of the scenarios of a project, for whoever wants to know everything of it.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::kept_run::KeptRun;
use super::loaded_findings::tell_loaded;
use super::stoppable_selection::StoppableSelection;
use super::told_findings::ToldFindings;
use crate::report::{ReportedFinding, RunCollector, RunReport};
use fsmsim_harness::coverage::{CountedModels, CoverageSet};
use fsmsim_harness::review::FormerModels;
use fsmsim_harness::scenario::{
    CaseFindings, RecordedTurns, Runner, ScenarioFiles, Suite, SuiteCounts, SuitePart,
};
use fsmsim_harness::selection::ScenarioFilter;
use fsmsim_harness::snapshot::{LeftSnapshots, Pruning, SnapshotChecker, SnapshotMode};
use fsmsim_runtime::project::{ModelCache, Project};
use fsmsim_syntax::diagnostic::{Diagnostics, SourceMap};
use fsmsim_syntax::threads::{Mutex, Threads};

/// One run of the scenarios of a project, as they say themselves: no live model is asked, and nothing is accepted.
pub struct SuiteRun {
    /// The project.
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
    /// The report.
    pub report: RunReport,
    /// Its findings as a terminal shows them, in the order in which they came.
    pub told: Vec<String>,
    /// The texts of what coverage is counted of, by path from the project.
    pub sources: BTreeMap<String, Arc<str>>,
}

impl SuiteRun {
    /// Runs the scenarios, and tells after each file how far it is.
    ///
    /// # Errors
    /// What is wrong with the folders, so that nothing can be run.
    pub fn run(
        self,
        threads: &Threads,
        progress: &mut dyn FnMut(&SuiteProgress),
    ) -> Result<SuiteRunResult, Vec<ReportedFinding>> {
        let project = &self.project;
        let mode = if self.checks {
            SnapshotMode::Check
        } else {
            SnapshotMode::Propose
        };
        let (mut found, mut log) = (Diagnostics::default(), ToldFindings::default());
        let snapshots = SnapshotChecker::new(project, mode, &mut found);
        let paths = if self.paths.is_empty() {
            vec![project.scenarios.clone()]
        } else {
            self.paths.clone()
        };
        let files = ScenarioFiles::under(&paths, &mut found);
        log.note(&found, &SourceMap::default());
        if found.has_errors() {
            return Err(log.take(&str::to_owned).0);
        }
        let models = Mutex::new(ModelCache::new(project, self.config.clone()));
        let runner = Runner {
            project,
            models: &models,
            profile: None,
            answerers: None,
            judge: None,
        };
        let suite = Suite {
            runner,
            selection: &StoppableSelection {
                filter: &self.filter,
                stopped: &self.stopped,
            },
            repeat: None,
            plays_all: false,
            snapshots,
            fails_fast: false,
            checks_determinism: false,
            time_limit: None,
            watches: self.covers,
        };
        let covers = self.covers;
        let collector = || RunCollector {
            records: Some(RecordedTurns::default()),
            coverage: covers.then(CoverageSet::default),
        };
        let (named, of) = (
            files.named.clone(),
            files.files.len() + files.unusable.len(),
        );
        let mut kept = KeptRun::begin(project, mode, None, &named);
        let (mut counted, mut cases) = (CountedModels::default(), CaseFindings::default());
        let mut so_far = SuiteProgress {
            done: 0,
            of,
            counts: SuiteCounts::default(),
        };
        let end = suite.run(threads, files, &collector, &mut |part: SuitePart<
            RunCollector,
        >| {
            let mut models = models.lock();
            for (result, _) in &part.results {
                tell_loaded(
                    &mut models,
                    &result.model,
                    &result.mock,
                    &mut |found, sources| {
                        log.note(found, sources);
                    },
                );
            }
            for (result, collected) in &part.results {
                log.note(&cases.of(result, &part.sources), &part.sources);
                kept.add(result, collected.as_ref());
                kept.add_model(result, &mut models);
                if covers {
                    counted.add(
                        result,
                        collected.as_ref().and_then(|seen| seen.coverage.as_ref()),
                        &mut models,
                    );
                }
                so_far.counts.push(result);
            }
            kept.remember(&part);
            if part.ends_file {
                so_far.done += 1;
                progress(&so_far);
            }
        });
        let is_stopped = end.is_stopped || self.stopped.load(Ordering::Relaxed);
        let mut left = if is_stopped {
            // What was not come to is not known to be gone.
            LeftSnapshots::default()
        } else {
            LeftSnapshots::find(&suite.snapshots, end.ledger, &named, Pruning::None)
        };
        if mode != SnapshotMode::Check {
            // They wait for whoever works here.
            left.pending.clear();
        }
        log.note(&left.found, &SourceMap::default());
        if covers && self.filter.takes_whole_share() && self.paths.is_empty() && !is_stopped {
            let mut models = models.lock();
            let (untested, profile) =
                counted.add_untested(&self.filter.elsewhere(), project, None, &mut models);
            for path in untested {
                let found = models
                    .findings(&path, profile)
                    .map(Diagnostics::without_key_notes)
                    .unwrap_or_default();
                log.note(&found, models.sources());
            }
        }
        if !is_stopped {
            kept.put_down(&FormerModels::committed(), &suite.runner, threads);
        }
        kept.end(is_stopped);
        let (findings, told) = log.take(&|path| kept.from_root(path));
        let sources = counted.sources(project);
        let report = kept.close(&left, findings, covers.then(|| counted.report(project)));
        Ok(SuiteRunResult {
            report,
            told,
            sources,
        })
    }
}
