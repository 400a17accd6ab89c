//! Plays the scenarios whose snapshots wait for a decision, and puts them down to what made them differ.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::loaded_findings::tell_loaded;
use crate::report::{ReportedCause, ReportedRun, RunCollector, RunReport};
use fsmsim_core::machine::Profile;
use fsmsim_harness::diff::{FallenScenario, KnownCause};
use fsmsim_harness::review::{
    FormerModels, PendingScenarios, ReviewDecision, ReviewEntry, ReviewList,
};
use fsmsim_harness::scenario::{
    RecordedTurns, Runner, ScenarioFiles, ScenarioResult, ScenarioVerdict, Suite, SuitePart,
    scenario_address,
};
use fsmsim_harness::snapshot::{LeftSnapshots, Pruning, SnapshotChecker, SnapshotMode};
use fsmsim_runtime::project::{ArtifactLayout, ModelCache, Project};
use fsmsim_syntax::diagnostic::{Checked, Diagnostic, Diagnostics, SourceMap};
use fsmsim_syntax::threads::{Mutex, Threads};

/// Which snapshots are wanted that wait for a decision.
#[derive(Debug, Default)]
pub struct ReviewRequest<'w> {
    /// Of the scenarios under these paths; without any, of those of the project.
    pub paths: Vec<PathBuf>,
    /// The profile, whatever the scenarios say.
    pub profile: Option<Profile>,
    /// The configuration root, instead of the nearest.
    pub config: Option<PathBuf>,
    /// The revision to whose models those of now are compared, to tell what was edited; nothing is the last one.
    pub since: Option<&'w str>,
}

/// Snapshots that wait for a decision, and what made them differ.
#[derive(Debug)]
pub struct ReviewRun {
    /// The snapshots.
    pub list: ReviewList,
    /// What those that can be decided are put down to.
    pub causes: Vec<ReportedCause>,
    /// Something cannot be used.
    pub is_unusable: bool,
}

/// What is learnt of scenarios while they are played.
struct ReviewKeeper<'k> {
    layout: &'k ArtifactLayout,
    snapshots: &'k SnapshotChecker,
    list: ReviewList,
    report: RunReport,
    fallen: BTreeMap<String, FallenScenario>,
    found: Diagnostics,
}

impl ReviewRun {
    /// Plays the scenarios whose snapshots wait; nothing, where something is wrong with what is wanted, as it is told.
    /// `found` is what was found before.
    ///
    /// # Errors
    /// The finding about a revision that is not known.
    pub fn of(
        wanted: &ReviewRequest<'_>,
        project: &Project,
        mut found: Diagnostics,
        threads: &Threads,
        tell: &mut dyn FnMut(&Diagnostics, &SourceMap),
    ) -> Checked<Option<Self>> {
        let snapshots = SnapshotChecker::new(project, SnapshotMode::Review, &mut found);
        let waiting =
            SnapshotChecker::new(project, SnapshotMode::Review, &mut Diagnostics::default());
        let paths = if wanted.paths.is_empty() {
            vec![project.scenarios.clone()]
        } else {
            wanted.paths.clone()
        };
        let files = ScenarioFiles::under(&paths, &mut found);
        tell(&found, &SourceMap::default());
        if found.has_errors() {
            return Ok(None);
        }
        let former = wanted
            .since
            .map_or_else(|| Ok(FormerModels::committed()), FormerModels::since)?;
        let models = Mutex::new(ModelCache::new(project, wanted.config.clone()));
        let named = files.named.clone();
        let suite = Suite {
            runner: Runner {
                project,
                models: &models,
                profile: wanted.profile,
                answerers: None,
                judge: None,
            },
            selection: &PendingScenarios {
                snapshots: &waiting,
            },
            repeat: None,
            plays_all: false,
            snapshots,
            fails_fast: false,
            checks_determinism: false,
            time_limit: None,
            watches: false,
        };
        let layout = project.artifacts_in(&project.snapshots);
        let mut keeper = ReviewKeeper {
            layout: &layout,
            snapshots: &waiting,
            list: ReviewList::default(),
            report: RunReport::new(ReportedRun::Test, None),
            fallen: BTreeMap::new(),
            found: Diagnostics::default(),
        };
        let collector = || RunCollector {
            records: Some(RecordedTurns::default()),
            coverage: None,
        };
        let mut is_unusable = false;
        let end = suite.run(threads, files, &collector, &mut |part: SuitePart<
            RunCollector,
        >| {
            for (result, collected) in &part.results {
                let mut models = models.lock();
                tell_loaded(&mut models, &result.model, &result.mock, tell);
                tell(&result.found, &part.sources);
                is_unusable |= result.found.has_errors();
                keeper.add(result, collected.as_ref());
            }
        });
        let left = LeftSnapshots::find(&suite.snapshots, end.ledger, &named, Pruning::None);
        let is_waiting =
            |path: &PathBuf| path.extension().is_some_and(|extension| extension == "new");
        keeper.list.orphans = left
            .orphans
            .into_iter()
            .map(|orphan| orphan.path)
            .filter(is_waiting)
            .collect();
        keeper.found.extend(left.found);
        tell(&keeper.found, &SourceMap::default());
        is_unusable |= keeper.found.has_errors();
        let ReviewKeeper {
            list,
            mut report,
            fallen,
            ..
        } = keeper;
        let (ids, fallen): (Vec<_>, Vec<_>) = fallen.into_iter().unzip();
        let known = former.causes(&fallen, &suite.runner, threads);
        let known: BTreeMap<String, KnownCause> = ids
            .into_iter()
            .zip(known)
            .filter_map(|(id, cause)| Some((id, cause?)))
            .collect();
        let from_root = |path: &str| layout.from_root(Path::new(path));
        report.put_down(&known, &former.prefix(), &from_root);
        report.finish();
        let mut causes = report.causes;
        for cause in &mut causes {
            cause.scenarios.retain(|id| {
                list.entry(id)
                    .is_some_and(|entry| entry.hindrance.is_none())
            });
        }
        causes.retain(|cause| !cause.scenarios.is_empty());
        Ok(Some(Self {
            list,
            causes,
            is_unusable,
        }))
    }

    /// Decides on the snapshots of these scenarios, as far as that can be done. How many, and what ended it before its time.
    pub fn decide(
        &mut self,
        decision: ReviewDecision,
        ids: &[String],
    ) -> (usize, Option<Box<Diagnostic>>) {
        let (mut done, mut failed) = (Vec::new(), None);
        for entry in self.list.decidable(ids) {
            match decision.carry_out(entry) {
                Ok(()) => done.push(entry.id.clone()),
                Err(finding) => {
                    failed = Some(finding);
                    break;
                }
            }
        }
        self.forget(&done);
        (done.len(), failed)
    }

    /// Forgets what is decided.
    pub fn forget(&mut self, ids: &[String]) {
        for id in ids {
            self.list.decided(id);
        }
        for cause in &mut self.causes {
            cause.scenarios.retain(|id| self.list.entry(id).is_some());
        }
        self.causes.retain(|cause| !cause.scenarios.is_empty());
    }
}

impl ReviewKeeper<'_> {
    fn add(&mut self, result: &ScenarioResult, collected: Option<&RunCollector>) {
        if result.title.is_empty() {
            return;
        }
        let from_root = |path: &str| self.layout.from_root(Path::new(path));
        let id = scenario_address(
            &from_root(&result.place.path),
            &result.title,
            result.case.as_deref(),
        );
        match ReviewEntry::of(result, &id, self.snapshots) {
            Ok(Some(entry)) => drop(self.list.entries.insert(id.clone(), entry)),
            Ok(None) => {}
            Err(finding) => self.found.push(*finding),
        }
        self.report.push(
            result,
            collected.and_then(|collected| collected.records.as_ref()),
            &from_root,
        );
        let turn = self
            .report
            .scenarios
            .last()
            .and_then(crate::report::ReportedScenario::fell_in);
        if let (Some(model), ScenarioVerdict::Failed) = (&result.model, result.verdict()) {
            let (file, line) = (PathBuf::from(&result.place.path), result.place.line);
            self.fallen.insert(
                id,
                FallenScenario {
                    model: model.clone(),
                    file,
                    name: result.name(),
                    line,
                    turn,
                },
            );
        }
    }
}
