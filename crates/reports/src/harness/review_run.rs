//! Runs the scenarios with pending snapshots, and groups the differences by cause.

use std::path::PathBuf;

use super::run_recorder::RunRecorder;
use crate::report::ReportedCause;
use fsmsim_core::machine::Profile;
use fsmsim_harness::review::{
    FormerModels, PendingScenarios, ReviewDecision, ReviewEntry, ReviewList,
};
use fsmsim_harness::scenario::{Runner, Suite};
use fsmsim_harness::snapshot::{SnapshotChecker, SnapshotMode};
use fsmsim_harness::suite::{FinishedScenario, SuiteObserver, SuitePart};
use fsmsim_runtime::project::{ModelCache, Project};
use fsmsim_syntax::diagnostic::{Checked, Diagnostic, Diagnostics, SourceMap};
use fsmsim_syntax::threads::{Mutex, Threads};

/// Selects pending snapshots.
#[derive(Debug, Default)]
pub struct ReviewRequest<'w> {
    /// The paths of scenarios; by default the scenarios of the project.
    pub paths: Vec<PathBuf>,
    /// The profile to use instead of the profiles of the scenarios.
    pub profile: Option<Profile>,
    /// The configuration root; by default the nearest one.
    pub config: Option<PathBuf>,
    /// The revision whose models are compared with the current ones to find the edits; by default the last commit.
    pub since: Option<&'w str>,
}

/// The pending snapshots, and the causes of their differences.
#[derive(Debug)]
pub struct ReviewRun {
    pub list: ReviewList,
    /// The causes of the snapshots that can be accepted or rejected.
    pub causes: Vec<ReportedCause>,
    /// Whether an input is invalid.
    pub is_invalid: bool,
}

/// Collects the pending snapshots while their scenarios run.
struct ReviewObserver<'k> {
    snapshots: &'k SnapshotChecker,
    list: ReviewList,
    unreadable: Diagnostics,
    is_invalid: bool,
    report: &'k mut dyn FnMut(&Diagnostics, &SourceMap),
}

impl ReviewRun {
    /// Runs the scenarios with pending snapshots; `None` if the request is invalid. Findings are passed to `report`,
    /// together with the earlier ones in `found`.
    pub fn of(
        wanted: &ReviewRequest<'_>,
        project: &Project,
        mut found: Diagnostics,
        threads: &Threads,
        report: &mut dyn FnMut(&Diagnostics, &SourceMap),
    ) -> Checked<Option<Self>> {
        let models = Mutex::new(ModelCache::new(project, wanted.config.clone()));
        let runner = Runner {
            profile: wanted.profile,
            ..Runner::new(project, &models)
        };
        let suite = Suite::under(runner, &wanted.paths, SnapshotMode::Review, &mut found);
        report(&found, &SourceMap::default());
        if found.has_errors() {
            return Ok(None);
        }
        let former = wanted
            .since
            .map_or_else(|| Ok(FormerModels::committed()), FormerModels::since)?;
        let snapshots = &suite.snapshots.clone();
        let suite = Suite {
            selection: &PendingScenarios { snapshots },
            keeps_records: true,
            ..suite
        };
        let mut recorder = RunRecorder::new(&suite, None, false);
        let mut review = ReviewObserver {
            snapshots,
            list: ReviewList::default(),
            unreadable: Diagnostics::default(),
            is_invalid: false,
            report,
        };
        let end = suite.run(threads, &mut [&mut review, &mut recorder]);
        (review.report)(&review.unreadable, &SourceMap::default());
        let is_invalid =
            review.is_invalid || review.unreadable.has_errors() || end.left.found.has_errors();
        let mut list = review.list;
        let causes = recorder
            .finish(&suite, &end, Some(&former), threads, Vec::new())
            .causes;
        let orphans = end.left.orphans.into_iter().map(|orphan| orphan.path);
        list.orphans = orphans
            .filter(|path| path.extension().is_some_and(|extension| extension == "new"))
            .collect();
        let mut run = Self {
            list,
            causes,
            is_invalid,
        };
        run.keep_decidable();
        Ok(Some(run))
    }

    /// Removes scenarios from the causes if their snapshots can be neither accepted nor rejected.
    fn keep_decidable(&mut self) {
        for cause in &mut self.causes {
            let entry = |id: &String| self.list.entry(id);
            cause
                .scenarios
                .retain(|id| entry(id).is_some_and(|entry| entry.hindrance.is_none()));
        }
        self.causes.retain(|cause| !cause.scenarios.is_empty());
    }

    /// Accepts or rejects the snapshots of these scenarios. Returns the number of completed decisions, and the first
    /// error.
    pub fn decide(
        &mut self,
        decision: ReviewDecision,
        ids: &[String],
    ) -> (usize, Option<Box<Diagnostic>>) {
        let mut done = Vec::new();
        let mut failed = None;
        for entry in self.list.decidable(ids) {
            match decision.carry_out(entry) {
                Ok(()) => done.push(entry.id.clone()),
                Err(finding) => failed = failed.or(Some(finding)),
            }
        }
        self.forget(&done);
        (done.len(), failed)
    }

    /// Removes accepted or rejected snapshots from the list.
    pub fn forget(&mut self, ids: &[String]) {
        for id in ids {
            self.list.decided(id);
        }
        self.keep_decidable();
    }
}

impl SuiteObserver for ReviewObserver<'_> {
    fn found(&mut self, found: &Diagnostics, sources: &SourceMap) {
        (self.report)(found, sources);
    }

    fn finished(&mut self, part: &SuitePart, _: &mut ModelCache) {
        for FinishedScenario {
            address, result, ..
        } in &part.scenarios
        {
            self.is_invalid |= result.found.has_errors();
            if result.title.is_empty() {
                continue;
            }
            match ReviewEntry::of(result, address, self.snapshots) {
                Ok(Some(entry)) => drop(self.list.entries.insert(address.clone(), entry)),
                Ok(None) => {}
                Err(finding) => self.unreadable.push(*finding),
            }
        }
    }
}
