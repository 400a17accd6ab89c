//! Counts the scenarios that visit each state.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Instant;

use crate::limits::VISITS_TIMEOUT;
use fsmsim_core::engine::RecordView;
use fsmsim_harness::scenario::{FileOpener, Runner, ScenarioSource, ScenarioText, TurnCollector};
use fsmsim_harness::selection::RunHistory;
use fsmsim_runtime::project::{ModelCache, Project};
use fsmsim_syntax::diagnostic::{Diagnostics, SourceMap};
use fsmsim_syntax::threads::Mutex;

/// The numbers of scenarios that visit a state, by last result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct StateVisits {
    /// Scenarios that reach the state.
    pub scenarios: usize,
    /// Scenarios that failed in the last run.
    pub fallen: usize,
    /// Scenarios without a result.
    pub open: usize,
}

/// Visit counts, by model path and state name.
pub(super) type ModelVisits = BTreeMap<PathBuf, BTreeMap<String, StateVisits>>;

/// The scenario files to run.
#[derive(Clone, Debug, Default)]
pub(super) struct VisitJob {
    /// The files, by project folder.
    pub files: BTreeMap<PathBuf, Vec<PathBuf>>,
    /// The models whose visits are reported.
    pub models: BTreeSet<PathBuf>,
}

/// The states that a dialogue visits.
#[derive(Default)]
struct VisitedStates(BTreeSet<String>);

impl TurnCollector for VisitedStates {
    fn turn(&mut self, line: &RecordView<'_>) {
        let Some(outcome) = &line.record.outcome else {
            return;
        };
        for state in [outcome.state.from, outcome.state.to]
            .into_iter()
            .chain(line.record.path.iter().copied())
        {
            self.0
                .insert(line.machine.names.states.name(state).to_owned());
        }
    }

    fn join(&mut self, later: Self) {
        self.0.extend(later.0);
    }
}

impl VisitJob {
    /// Runs the scenarios on disk, without external services. The result is empty if they take too long.
    pub(super) fn play(&self) -> ModelVisits {
        let end = Instant::now() + VISITS_TIMEOUT;
        let mut visits = ModelVisits::new();
        for (root, files) in &self.files {
            let project = Project::at(root, &mut SourceMap::default(), &mut Diagnostics::default());
            let mut play = ScenarioPlays {
                history: RunHistory::of(root),
                models: Mutex::new(ModelCache::new(&project, None)),
                project: &project,
                wanted: &self.models,
                visits: ModelVisits::new(),
            };
            for file in files {
                if Instant::now() > end {
                    return ModelVisits::new();
                }
                play.file(file);
            }
            visits.extend(play.visits);
        }
        // A model without scenarios gets an entry, too: none of its states is visited.
        for model in &self.models {
            visits.entry(model.clone()).or_default();
        }
        visits
    }
}

/// Runs the scenarios of a project and collects visits.
struct ScenarioPlays<'p> {
    project: &'p Project,
    models: Mutex<ModelCache>,
    history: RunHistory,
    wanted: &'p BTreeSet<PathBuf>,
    visits: ModelVisits,
}

impl ScenarioPlays<'_> {
    fn file(&mut self, file: &Path) {
        for part in FileOpener::new(self.project, &[]).open(file) {
            for source in &part.documents {
                self.scenario(source, &part.sources);
            }
        }
    }

    fn scenario(&mut self, source: &ScenarioSource, sources: &SourceMap) {
        let mut found = Diagnostics::default();
        let runner = Runner::new(self.project, &self.models);
        let Some(document) = source.document(sources, &mut found) else {
            return;
        };
        let Some(scenario) = ScenarioText::read(&document, &mut found) else {
            return;
        };
        let model = runner.model_of(&scenario, &mut found);
        let Some(model) = model.filter(|model| self.wanted.contains(&model.path)) else {
            return;
        };
        let Ok(prepared) = runner.prepare(&scenario, &mut found) else {
            return;
        };
        let mut states = VisitedStates::default();
        // States that were visited before an unavailable service ended the dialogue also count.
        prepared.watch(&mut states);
        let file = self
            .project
            .artifacts_in(&self.project.snapshots)
            .from_root(&source.path);
        let verdict = self.history.verdict(&scenario.address(&file));
        for name in states.0 {
            let visits = self
                .visits
                .entry(model.path.clone())
                .or_default()
                .entry(name)
                .or_default();
            visits.scenarios += 1;
            visits.fallen += usize::from(verdict.is_some_and(|verdict| !verdict.is_well()));
            visits.open += usize::from(verdict.is_none());
        }
    }
}
