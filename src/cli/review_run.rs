//! Plays the scenarios whose snapshots wait for a decision, and puts them down to what made them differ.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use super::context::{Context, profile_of, threads};
use super::exit::Stop;
use super::review::ReviewArgs;
use crate::diagnostic::{Diagnostics, SourceMap};
use crate::diff::{FallenScenario, KnownCause};
use crate::project::{ArtifactLayout, ModelCache};
use crate::report::{ReportedCause, ReportedRun, RunCollector, RunReport};
use crate::review::{FormerModels, PendingScenarios, ReviewEntry, ReviewList};
use crate::scenario::{
    RecordedTurns, Runner, ScenarioFiles, ScenarioResult, ScenarioVerdict, Suite, SuitePart, scenario_address,
};
use crate::snapshot::{LeftSnapshots, Pruning, SnapshotChecker, SnapshotMode};

/// Snapshots that wait for a decision, and what made them differ.
pub(super) struct ReviewRun {
    pub(super) list: ReviewList,
    /// What those that can be decided are put down to.
    pub(super) causes: Vec<ReportedCause>,
    /// Something cannot be used.
    pub(super) is_unusable: bool,
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
    /// Plays the scenarios whose snapshots wait.
    pub(super) fn of(args: &ReviewArgs, context: &mut Context) -> Result<Self, Stop> {
        let project = context.project.clone();
        let mut found = Diagnostics::default();
        let profile = profile_of(args.profile.as_deref(), &mut found);
        let snapshots = SnapshotChecker::new(&project, SnapshotMode::Review, &mut found);
        let waiting = SnapshotChecker::new(&project, SnapshotMode::Review, &mut Diagnostics::default());
        let paths = if args.paths.is_empty() { vec![project.scenarios.clone()] } else { args.paths.clone() };
        let files = ScenarioFiles::under(&paths, &mut found);
        context.usable(Some(()), &found, &SourceMap::default())?;
        let former = args.since.as_deref().map_or_else(|| Ok(FormerModels::committed()), FormerModels::since)?;
        let threads = threads(args.jobs)?;
        let models = Mutex::new(ModelCache::new(&project, args.config.clone()));
        let named = files.named.clone();
        let suite = Suite {
            runner: Runner { project: &project, models: &models, profile, answerers: None },
            selection: &PendingScenarios { snapshots: &waiting },
            repeat: None,
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
        let collector = || RunCollector { records: Some(RecordedTurns::default()), coverage: None };
        let mut is_unusable = false;
        let end = suite.run(&threads, files, &collector, &mut |part: SuitePart<RunCollector>| {
            for (result, collected) in &part.results {
                let mut models = models.lock().unwrap_or_else(PoisonError::into_inner);
                context.report_loaded(&mut models, &result.model, &result.mock);
                context.report(&result.found, &part.sources);
                is_unusable |= result.found.has_errors();
                keeper.add(result, collected.as_ref());
            }
        });
        let left = LeftSnapshots::find(&suite.snapshots, end.ledger, &named, Pruning::None);
        let is_waiting = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "new");
        keeper.list.orphans = left.orphans.into_iter().map(|orphan| orphan.path).filter(is_waiting).collect();
        keeper.found.extend(left.found);
        context.report(&keeper.found, &SourceMap::default());
        is_unusable |= keeper.found.has_errors();
        let ReviewKeeper { list, mut report, fallen, .. } = keeper;
        let (ids, fallen): (Vec<_>, Vec<_>) = fallen.into_iter().unzip();
        let known = former.causes(&fallen, &suite.runner, &threads);
        let known: BTreeMap<String, KnownCause> =
            ids.into_iter().zip(known).filter_map(|(id, cause)| Some((id, cause?))).collect();
        let from_root = |path: &str| layout.from_root(Path::new(path));
        report.put_down(&known, &former.prefix(), &from_root);
        report.finish();
        let mut causes = report.causes;
        for cause in &mut causes {
            cause.scenarios.retain(|id| list.entry(id).is_some_and(|entry| entry.hindrance.is_none()));
        }
        causes.retain(|cause| !cause.scenarios.is_empty());
        Ok(Self { list, causes, is_unusable })
    }

    /// Forgets what is decided.
    pub(super) fn forget(&mut self, ids: &[String]) {
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
        let id = scenario_address(&from_root(&result.place.path), &result.title, result.case.as_deref());
        match ReviewEntry::of(result, &id, self.snapshots) {
            Ok(Some(entry)) => drop(self.list.entries.insert(id.clone(), entry)),
            Ok(None) => {}
            Err(finding) => self.found.push(*finding),
        }
        self.report.push(result, collected.and_then(|collected| collected.records.as_ref()), &from_root);
        let turn = self.report.scenarios.last().and_then(crate::report::ReportedScenario::fell_in);
        if let (Some(model), ScenarioVerdict::Failed) = (&result.model, result.verdict()) {
            let (file, line) = (PathBuf::from(&result.place.path), result.place.line);
            self.fallen.insert(id, FallenScenario { model: model.clone(), file, name: result.name(), line, turn });
        }
    }
}
