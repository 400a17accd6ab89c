//! Runs the scenarios to review, and groups the differences by cause.

use std::collections::BTreeSet;
use std::path::PathBuf;

use super::run_recorder::RunRecorder;
use crate::report::{ReportedCause, ReviewReport};
use fsmsim_core::machine::Profile;
use fsmsim_harness::review::{
    FormerModels, PendingScenarios, ReviewDecision, ReviewEntry, ReviewList,
};
use fsmsim_harness::scenario::{KeptRecords, Runner, Suite};
use fsmsim_harness::selection::RunHistory;
use fsmsim_harness::snapshot::{SnapshotChecker, SnapshotMode};
use fsmsim_harness::suite::{ExpectationUpdates, FinishedScenario, SuiteObserver, SuitePart};
use fsmsim_runtime::project::{ModelCache, Project};
use fsmsim_syntax::diagnostic::{Checked, Diagnostic, Diagnostics, SourceMap, plural};
use fsmsim_syntax::threads::{Mutex, Threads};

/// Selects the scenarios to review.
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
    /// Whether scenarios that failed in their last run are reviewed, too, so that their expectations can be replaced.
    pub with_expectations: bool,
}

/// The scenarios to review, and the causes of their differences.
#[derive(Debug)]
pub struct ReviewRun {
    pub list: ReviewList,
    /// The causes of the results that can be accepted.
    pub causes: Vec<ReportedCause>,
    /// The replacements of failed expectations.
    pub updates: ExpectationUpdates,
    /// Whether an input is invalid.
    pub is_invalid: bool,
    /// The last results, if failed expectations are reviewed, too.
    history: Option<RunHistory>,
    /// The IDs of the accepted causes.
    accepted: BTreeSet<String>,
}

/// The effect of a decision.
#[derive(Debug, Default)]
pub struct DecidedResults {
    /// The numbers of decided snapshots and replaced expectations as text, if there are any.
    pub done: Option<String>,
    /// The first error.
    pub failed: Option<Box<Diagnostic>>,
    /// The scenarios that stay pending because a cause that is not accepted also changes them.
    pub kept: usize,
    /// The IDs of those causes.
    pub kept_by: BTreeSet<String>,
}

/// Collects the scenarios to review while they run.
struct ReviewObserver<'k> {
    snapshots: &'k SnapshotChecker,
    list: ReviewList,
    unreadable: Diagnostics,
    is_invalid: bool,
    report: &'k mut dyn FnMut(&Diagnostics, &SourceMap),
}

impl ReviewRun {
    /// Runs the scenarios to review; `None` if the request is invalid. Findings are passed to `report`, together with
    /// the earlier ones in `found`.
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
        let former = FormerModels::since(wanted.since, project)?;
        let snapshots = &suite.snapshots.clone();
        let with_expectations = wanted.with_expectations;
        let history = with_expectations.then(|| RunHistory::of(&project.root));
        let pending = PendingScenarios { snapshots, history };
        let suite = Suite {
            selection: &pending,
            keeps_records: KeptRecords::Unpassed,
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
        let mut updates = ExpectationUpdates::default();
        let end = suite.run(threads, &mut [&mut review, &mut recorder, &mut updates]);
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
        if with_expectations {
            let runner = Runner {
                profile: wanted.profile,
                ..Runner::new(project, &models)
            };
            updates.plan(runner, threads);
        }
        list.repair(&updates);
        let mut run = Self {
            list,
            causes,
            updates,
            is_invalid,
            history: pending.history,
            accepted: BTreeSet::new(),
        };
        run.keep_decidable();
        Ok(Some(run))
    }

    /// The causes to decide on. The last one can be a cause for the results that can only be rejected.
    pub fn decidable_causes(&self) -> Vec<ReportedCause> {
        let causes = self.causes.iter().cloned();
        causes
            .chain(ReviewReport::unacceptable(&self.list))
            .collect()
    }

    /// The word for a result: without failed expectations, all results are snapshots.
    pub fn noun(&self) -> &'static str {
        if self.updates.is_empty() {
            "snapshot"
        } else {
            "scenario"
        }
    }

    /// Removes scenarios from the causes if their results cannot be accepted.
    fn keep_decidable(&mut self) {
        for cause in &mut self.causes {
            let entry = |id: &String| self.list.entry(id);
            cause
                .scenarios
                .retain(|id| entry(id).is_some_and(ReviewEntry::is_acceptable));
        }
        self.causes.retain(|cause| !cause.scenarios.is_empty());
    }

    /// Notes that these causes will be accepted together.
    pub fn will_accept(&mut self, causes: &[ReportedCause]) {
        let ids = causes.iter().map(|cause| cause.id.clone());
        self.accepted.extend(ids);
    }

    /// Accepts or rejects the results of a cause. A result with several causes is accepted with the last of them, and
    /// rejected with the first.
    pub fn decide_cause(
        &mut self,
        decision: ReviewDecision,
        cause: &ReportedCause,
    ) -> DecidedResults {
        if decision == ReviewDecision::Reject {
            return self.decide(decision, &cause.scenarios);
        }
        self.will_accept(std::slice::from_ref(cause));
        let mut kept_by = BTreeSet::new();
        let mut ids = Vec::new();
        for id in &cause.scenarios {
            let causes = self.causes.iter();
            let open = causes
                .filter(|cause| !self.accepted.contains(&cause.id) && cause.scenarios.contains(id));
            let open: Vec<String> = open.map(|cause| cause.id.clone()).collect();
            if open.is_empty() {
                ids.push(id.clone());
            }
            kept_by.extend(open);
        }
        DecidedResults {
            kept: cause.scenarios.len() - ids.len(),
            kept_by,
            ..self.decide(decision, &ids)
        }
    }

    /// Accepts or rejects the results of these scenarios. If a scenario has failures that no edit repairs, only its other
    /// expectations are replaced.
    pub fn decide(&mut self, decision: ReviewDecision, ids: &[String]) -> DecidedResults {
        let entries = || self.list.decidable(decision, ids);
        let mut expectations: usize = 0;
        if decision == ReviewDecision::Accept {
            let ids: BTreeSet<&str> = entries().map(|entry| &*entry.id).collect();
            let written = self.updates.write(Some(&ids));
            expectations = written.iter().map(|(_, count)| count).sum();
        }
        let mut done = Vec::new();
        let mut left = Vec::new();
        let mut failed = None;
        let mut snapshots = 0;
        for entry in entries() {
            let is_short = entry.hindrance.is_some() || self.updates.refuses(&entry.id);
            if is_short && decision == ReviewDecision::Accept {
                left.push(entry.id.clone());
                continue;
            }
            match decision.carry_out(entry) {
                Ok(()) => {
                    snapshots += usize::from(entry.snapshot.is_some());
                    done.push(entry.id.clone());
                }
                Err(finding) => failed = failed.or(Some(finding)),
            }
        }
        // Rejected expectations have no file of their own, so the scenario is counted.
        let other = match decision {
            ReviewDecision::Accept => (expectations, "expectation"),
            ReviewDecision::Reject => (done.len() - snapshots, "scenario"),
        };
        let counts = [(snapshots, "snapshot"), other].into_iter();
        let counts = counts.filter(|(count, _)| *count > 0);
        let counts: Vec<String> = counts.map(|(count, noun)| plural(count, noun)).collect();
        if decision == ReviewDecision::Reject
            && let Some(history) = &self.history
        {
            // If the history cannot be saved, the results are offered again.
            let _ = history.reject(&done);
        }
        for id in left {
            self.list.keep_failing(&id);
        }
        self.forget(&done);
        DecidedResults {
            done: (!counts.is_empty()).then(|| counts.join(" and ")),
            failed,
            ..DecidedResults::default()
        }
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
            address,
            result,
            records,
        } in &part.scenarios
        {
            self.is_invalid |= result.found.has_errors();
            if result.title.is_empty() {
                continue;
            }
            match ReviewEntry::of(result, records, address, self.snapshots) {
                Ok(Some(entry)) => drop(self.list.entries.insert(address.clone(), entry)),
                Ok(None) => {}
                Err(finding) => self.unreadable.push(*finding),
            }
        }
    }
}
