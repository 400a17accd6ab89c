//! The scenarios that can notice a mutant.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::mutation_cache::MutantTrial;
use crate::coverage::{CoverageMap, CoverageSet, Touched};
use crate::scenario::{
    FileOpener, InputHashes, ModelKey, OpenScenario, PreparedScenario, Runner, ScenarioFiles,
    ScenarioText, TurnCollector,
};
use crate::snapshot::SnapshotChecker;
use fsmsim_core::engine::Machine;
use fsmsim_syntax::diagnostic::Diagnostics;
use fsmsim_syntax::files::real_path;
use fsmsim_syntax::threads::{Mutex, Threads};

/// A scenario that passes on the original model.
pub(super) struct MutationScenario {
    /// The ID.
    pub address: String,
    pub key: ModelKey,
    /// The real path of its model.
    model: PathBuf,
    /// A hash of everything that decides its result, except the model.
    pub hash: u64,
    text: OpenScenario,
    touched: Touched,
    /// The accepted snapshot.
    snapshot: Option<String>,
}

/// The scenarios that can notice mutants.
pub struct MutationSuite<'s> {
    pub(super) runner: Runner<'s>,
    snapshots: SnapshotChecker,
    scenarios: Vec<MutationScenario>,
    /// The IDs of scenarios of the models that do not pass, or call a system under test.
    left_out: Vec<(PathBuf, String)>,
    maps: Mutex<BTreeMap<ModelKey, Arc<CoverageMap>>>,
}

/// A scenario that is usable, with the files that it reads, or the model and the ID of another one.
type UsableScenario = Result<(MutationScenario, Vec<PathBuf>), (PathBuf, String)>;

impl<'s> MutationSuite<'s> {
    /// Plays the scenarios of these models, without external calls.
    pub fn load(
        runner: Runner<'s>,
        snapshots: SnapshotChecker,
        files: &ScenarioFiles,
        models: &[&Path],
        threads: &Threads,
    ) -> Self {
        let project = runner.project;
        let wanted: BTreeSet<PathBuf> = models.iter().map(|path| real_path(path)).collect();
        let mut suite = Self {
            runner,
            snapshots,
            scenarios: Vec::new(),
            left_out: Vec::new(),
            maps: Mutex::default(),
        };
        let mut hashes = InputHashes::new(project.artifacts_in(&project.snapshots));
        let mut opener = FileOpener::new(project, &files.named);
        for file in &files.files {
            for part in opener.open(file) {
                let loaded = threads.map(&part.documents, |source| {
                    let text = OpenScenario {
                        sources: Arc::clone(&part.sources),
                        source: source.clone(),
                    };
                    suite.loaded(&text, files, &wanted)
                });
                let mut shared = hashes.of_shared(&part.sources);
                for loaded in loaded.into_iter().flatten() {
                    match loaded {
                        Ok((mut scenario, inputs)) => {
                            let models = &mut *suite.runner.models.lock();
                            let hash = hashes.of(&mut shared, &inputs, None, models);
                            scenario.hash = xxh3_64_with_seed(scenario.own_text().as_bytes(), hash);
                            suite.scenarios.push(scenario);
                        }
                        Err(left_out) => suite.left_out.push(left_out),
                    }
                }
            }
        }
        suite
    }

    /// Plays a scenario of a wanted model on the original. `None` for other scenarios, and for invalid and skipped ones.
    fn loaded(
        &self,
        text: &OpenScenario,
        files: &ScenarioFiles,
        wanted: &BTreeSet<PathBuf>,
    ) -> Option<UsableScenario> {
        let mut found = Diagnostics::default();
        let document = text.source.document(&text.sources, &mut found)?;
        let scenario = ScenarioText::read(&document, &mut found)?;
        let key = self.runner.model_of(&scenario, &mut found)?;
        let model = real_path(&key.path);
        if scenario.skip.is_some() || !files.wants(&scenario) || !wanted.contains(&model) {
            return None;
        }
        let project = self.runner.project;
        let layout = project.artifacts_in(&project.snapshots);
        let address = scenario.address(&layout.from_root(scenario.file));
        let left_out = || Some(Err((model.clone(), address.clone())));
        let prepared = self.runner.prepare(&scenario, &mut found);
        let usable = prepared.ok().filter(|scenario| scenario.subject.is_none());
        let Some(prepared) = usable.filter(|_| !found.has_errors()) else {
            return left_out();
        };
        let snapshot = self.snapshots.accepted(scenario.file, &scenario.name());
        let record = snapshot.as_ref().and_then(|_| self.snapshots.begin(false));
        let prepared = PreparedScenario {
            watches: true,
            ..prepared
        };
        let mut coverage = CoverageSet::default();
        let (passed, record) = prepared.trial(record, &mut coverage, &text.sources);
        if !passed || record.map(|record| record.text) != snapshot {
            return left_out();
        }
        let touched = self.map(&key, &prepared.machine).touched(&coverage);
        let loaded = MutationScenario {
            address,
            key,
            model,
            hash: 0,
            text: text.clone(),
            touched,
            snapshot,
        };
        Some(Ok((loaded, scenario.inputs())))
    }

    /// Whether no scenario is usable.
    pub fn is_empty(&self) -> bool {
        self.scenarios.is_empty()
    }

    /// The counted items of a model.
    pub(super) fn map(&self, key: &ModelKey, machine: &Machine) -> Arc<CoverageMap> {
        let mut maps = self.maps.lock();
        let map = maps.entry(key.clone());
        Arc::clone(map.or_insert_with(|| Arc::new(CoverageMap::of(machine))))
    }

    /// The usable scenarios of a model.
    pub(super) fn of_model(&self, model: &Path) -> Vec<&MutationScenario> {
        let model = real_path(model);
        let scenarios = self.scenarios.iter();
        scenarios
            .filter(|scenario| scenario.model == model)
            .collect()
    }

    /// The IDs of the scenarios of a model that cannot be used.
    pub(super) fn left_out(&self, model: &Path) -> Vec<String> {
        let model = real_path(model);
        let left_out = self.left_out.iter().filter(|(of, _)| *of == model);
        left_out.map(|(_, address)| address.clone()).collect()
    }

    /// Plays a scenario on a mutant.
    pub(super) fn trial(&self, scenario: &MutationScenario, machine: &Arc<Machine>) -> MutantTrial {
        let snapshot = scenario.snapshot.as_ref();
        let record = snapshot.and_then(|_| self.snapshots.begin(false));
        let on = (&scenario.key, machine);
        let played = scenario.text.play(&self.runner, on, false, record, &mut ());
        // A scenario that the mutant makes invalid notices it, too.
        let Some((true, record)) = played else {
            return MutantTrial::ByExpectation;
        };
        if record.map(|record| record.text).as_ref() == snapshot {
            MutantTrial::Unnoticed
        } else {
            MutantTrial::BySnapshot
        }
    }

    /// A scenario that is not saved.
    pub(super) fn open(&self, text: &str) -> Option<OpenScenario> {
        let project = self.runner.project;
        OpenScenario::unsaved(project, &project.scenarios.join("mutant.yaml"), text)
    }

    /// Plays a scenario that is not saved. Returns whether it passes; `None` if it is invalid.
    pub(super) fn passes(
        &self,
        text: &OpenScenario,
        on: (&ModelKey, &Arc<Machine>),
        collector: &mut impl TurnCollector,
    ) -> Option<bool> {
        let (passed, _) = text.play(&self.runner, on, false, None, collector)?;
        Some(passed)
    }

    /// The items and lines that a scenario that is not saved covers; `None` if it is invalid.
    pub(super) fn touched(
        &self,
        text: &OpenScenario,
        (key, machine): (&ModelKey, &Arc<Machine>),
    ) -> Option<Touched> {
        let mut coverage = CoverageSet::default();
        text.play(&self.runner, (key, machine), true, None, &mut coverage)?;
        Some(self.map(key, machine).touched(&coverage))
    }
}

impl MutationScenario {
    /// Whether a turn of the scenario covered one of these lines.
    pub(super) fn covers(&self, file: &str, lines: &RangeInclusive<u32>) -> bool {
        self.touched.has_lines(file, lines)
    }

    /// The ID, and the accepted snapshot.
    fn own_text(&self) -> String {
        [&*self.address, self.snapshot.as_deref().unwrap_or_default()].join("\n")
    }
}
