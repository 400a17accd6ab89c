//! Selects the scenarios of a run by expression, last verdict and shard.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use super::changed_since::ChangedSince;
use super::filter_expression::FilterExpression;
use super::name_pattern::NamePattern;
use super::predicate::Predicate;
use super::prober::{Probed, Prober};
use super::run_history::RunHistory;
use super::scenario_probe::ScenarioProbe;
use crate::scenario::{InputHashes, ModelKey, Runner, ScenarioSelection, ScenarioText};
use crate::snapshot::ACCEPTED;
use fsmsim_core::engine::Class;
use fsmsim_runtime::project::{ArtifactLayout, Project};
use fsmsim_syntax::diagnostic::{Checked, Diagnostic, Diagnostics, SourceMap};
use fsmsim_syntax::threads::{Mutex, Shard};

/// The kind of the names that `failed` can contain.
const FAILED: &str = "failed";

/// Selects the scenarios of a run. By default, all scenarios are selected.
#[derive(Debug)]
pub struct ScenarioFilter {
    layout: ArtifactLayout,
    /// The expressions, all of which must hold.
    expressions: Vec<FilterExpression>,
    /// If set, only scenarios that failed in their last run, were not run, or were edited since, are selected.
    pub history: Option<RunHistory>,
    /// If set, only scenarios with one of these IDs, or in files with one of them, are selected.
    pub failed: Option<BTreeSet<String>>,
    /// The hashes of files, to find edited scenarios.
    hashes: Mutex<InputHashes>,
    /// If set, only scenarios of this shard are selected.
    pub shard: Option<Shard>,
    /// The changes since each revision that the expressions name.
    changes: Vec<ChangedSince>,
    prober: Prober,
    /// The models that only scenarios in other shards name.
    elsewhere: Mutex<BTreeSet<PathBuf>>,
    /// The number of scenarios for which an expression could not be evaluated without external calls.
    unevaluated: AtomicUsize,
    /// The names to which the expressions can refer, by kind.
    names: Mutex<BTreeMap<&'static str, BTreeSet<String>>>,
}

impl ScenarioFilter {
    /// Selects the scenarios of a project for which all of these expressions hold.
    pub fn new(project: &Project, expressions: Vec<FilterExpression>) -> Self {
        let layout = project.artifacts_in(&project.snapshots);
        Self {
            expressions,
            history: None,
            failed: None,
            hashes: Mutex::new(InputHashes::new(layout.clone())),
            shard: None,
            changes: Vec::new(),
            prober: Prober::default(),
            elsewhere: Mutex::default(),
            unevaluated: AtomicUsize::new(0),
            names: Mutex::default(),
            layout,
        }
    }

    /// Finds the changes since each revision that the expressions name.
    ///
    /// # Errors
    /// Returns a finding if Git cannot read one of the revisions.
    pub fn since(mut self) -> Checked<Self> {
        self.changes = self
            .expressions
            .iter()
            .flat_map(FilterExpression::revisions)
            .map(ChangedSince::find)
            .collect::<Checked<_>>()?;
        Ok(self)
    }

    /// The number of scenarios that were not selected because an expression could not be evaluated without external
    /// calls.
    pub fn unevaluated(&self) -> usize {
        self.unevaluated.load(Ordering::Relaxed)
    }

    /// Whether all scenarios are selected.
    pub fn takes_all(&self) -> bool {
        self.takes_whole_shard() && self.shard.is_none()
    }

    fn takes_whole_shard(&self) -> bool {
        self.expressions.is_empty() && self.history.is_none() && self.failed.is_none()
    }

    /// Whether the selection depends on the turns of scenarios.
    pub(super) fn reads_turns(&self) -> bool {
        self.history.is_some() || self.predicates().any(Predicate::reads_turns)
    }

    /// Whether it is not a mistake if no scenario is selected.
    pub fn may_be_empty(&self) -> bool {
        let changed = self
            .expressions
            .iter()
            .any(|expression| !expression.revisions().is_empty());
        self.history.is_some() || self.failed.is_some() || self.shard.is_some() || changed
    }

    /// The IDs in `failed` that no tested scenario has.
    pub fn missing(&self) -> Vec<&str> {
        let known = self.names.lock();
        let known = known.get(FAILED);
        let is_missing = |id: &&String| known.is_none_or(|known| !known.contains(*id));
        let failed = self.failed.iter().flatten();
        failed.filter(is_missing).map(String::as_str).collect()
    }

    /// The ID of a scenario.
    pub fn address(&self, scenario: &ScenarioText<'_>) -> String {
        scenario.address(&self.from_root(scenario.file))
    }

    /// A path relative to the project.
    pub fn from_root(&self, file: &Path) -> String {
        self.layout.from_root(file)
    }

    /// The model of a scenario, and the files that are read for it alone. Prepares the scenario to find out, as a run
    /// does.
    fn inputs(
        &self,
        scenario: &ScenarioText<'_>,
        runner: &Runner<'_>,
    ) -> (Option<ModelKey>, Vec<PathBuf>) {
        let model = runner.check(scenario, &mut Diagnostics::default());
        let mut own = scenario.inputs();
        let title = scenario.name();
        own.push(self.layout.path_of(scenario.file, &title, ACCEPTED));
        (model, own)
    }

    /// The value of a predicate, unless it requires running the scenario.
    fn known(
        &self,
        predicate: &Predicate,
        scenario: &ScenarioText<'_>,
        runner: &Runner<'_>,
    ) -> Option<bool> {
        let names = match predicate {
            Predicate::Tag(_) => scenario.tags.iter().map(|tag| (*tag).to_owned()).collect(),
            Predicate::Title(_) => vec![scenario.title.to_owned()],
            Predicate::Path(_) => vec![self.from_root(scenario.file)],
            Predicate::Model(_) => {
                let model = runner.model_of(scenario, &mut Diagnostics::default());
                model.map_or_else(Vec::new, |model| self.model_names(&model.path))
            }
            Predicate::Asks => return Some(scenario.may_ask()),
            Predicate::Covers(_) | Predicate::Class(_) | Predicate::Changed(_) => return None,
        };
        let (kind, pattern) = predicate.pattern()?;
        let holds = names.iter().any(|name| pattern.matches(name));
        self.note(kind, names);
        Some(holds)
    }

    /// The names of a model: its path relative to the project, and its file name with and without extension.
    fn model_names(&self, path: &Path) -> Vec<String> {
        let parts = [path.file_name(), path.file_stem()]
            .into_iter()
            .flatten()
            .map(|name| name.to_string_lossy().into_owned());
        parts.chain([self.from_root(path)]).collect()
    }

    /// Notes names of a scenario or of its model.
    fn note(&self, kind: &'static str, names: impl IntoIterator<Item = String>) {
        let mut known = self.names.lock();
        known.entry(kind).or_default().extend(names);
    }

    /// Reports names in the expressions that no scenario and no model has. All scenarios must be tested before.
    pub fn unknown_names(&self) -> Diagnostics {
        let mut found = Diagnostics::default();
        let known = self.names.lock();
        for (kind, pattern) in self.predicates().filter_map(Predicate::pattern) {
            let (Some(name), Some(known)) = (pattern.as_exact(), known.get(kind)) else {
                continue;
            };
            if !known.contains(name) && !name.starts_with("line:") {
                let known = known.iter().map(String::as_str);
                let help = "correct the name, or remove it from the filter";
                Diagnostic::unknown_argument(kind, name)
                    .near(name, known, help)
                    .add_to(&mut found);
            }
        }
        found
    }

    fn predicates(&self) -> impl Iterator<Item = &Predicate> {
        self.expressions
            .iter()
            .flat_map(FilterExpression::predicates)
    }

    /// Whether an expression holds. Runs the scenario only if the result depends on it.
    fn holds(
        &self,
        expression: &FilterExpression,
        scenario: &ScenarioText<'_>,
        runner: &Runner<'_>,
        sources: &SourceMap,
    ) -> bool {
        if let Some(holds) =
            expression.holds(&mut |predicate| self.known(predicate, scenario, runner))
        {
            return holds;
        }
        let probed = OnceCell::new();
        let probe = || {
            let play = || {
                self.prober
                    .probe(scenario, runner, ScenarioProbe::default())
            };
            probed.get_or_init(play).as_ref()
        };
        let holds = expression.holds(&mut |predicate| match predicate {
            Predicate::Covers(pattern) => {
                let probed = probe()?;
                self.note("item", probed.map.names());
                Some(self.covers(probed, pattern))
            }
            Predicate::Class(pattern) => {
                let classes = &probe()?.probe.classes;
                let all = Class::ALL.iter().map(|class| class.name().to_owned());
                self.note("class", all.chain(classes.iter().cloned()));
                Some(classes.iter().any(|class| pattern.matches(class)))
            }
            Predicate::Changed(revision) => {
                let changes = self
                    .changes
                    .iter()
                    .find(|changes| *changes.revision() == **revision);
                Some(changes.is_some_and(|changes| {
                    let own = || self.inputs(scenario, runner).1;
                    changes.touches(scenario, runner, sources, own)
                }))
            }
            predicate => self.known(predicate, scenario, runner),
        });
        if holds.is_none() {
            self.unevaluated.fetch_add(1, Ordering::Relaxed);
        }
        holds.unwrap_or(false)
    }

    /// Whether the scenario covered a matching item, given as `KIND:NAME` or `line:FILE:LINE`.
    fn covers(&self, probed: &Probed, pattern: &NamePattern) -> bool {
        let mut named = probed
            .touched
            .items
            .iter()
            .map(|(kind, name)| format!("{}:{name}", kind.singular()));
        if named.any(|name| pattern.matches(&name)) {
            return true;
        }
        let line = pattern
            .as_exact()
            .and_then(|text| text.strip_prefix("line:")?.rsplit_once(':'));
        let Some((file, line)) =
            line.and_then(|(file, line)| Some((file, line.parse::<u32>().ok()?)))
        else {
            return false;
        };
        let is_it = |(at, from, to): &(String, u32, u32)| {
            (*from..=*to).contains(&line) && self.layout.from_root(Path::new(at)) == file
        };
        probed.touched.lines.iter().any(is_it)
    }
}

impl ScenarioSelection for ScenarioFilter {
    fn wants(&self, scenario: &ScenarioText<'_>, runner: &Runner<'_>, sources: &SourceMap) -> bool {
        if self.takes_all() {
            return true;
        }
        // An expression does not evaluate predicates that cannot change its result, but all names must be noted.
        for predicate in self.predicates() {
            self.known(predicate, scenario, runner);
        }
        if self.history.is_some() || self.failed.is_some() || self.shard.is_some() {
            let address = self.address(scenario);
            if let Some(failed) = &self.failed {
                // A file is listed if it was invalid.
                let ids = [address.clone(), self.from_root(scenario.file)];
                let is_wanted = ids.iter().any(|id| failed.contains(id));
                self.note(FAILED, ids);
                if !is_wanted {
                    return false;
                }
            }
            if self.shard.is_some_and(|shard| !shard.has_name(&address)) {
                if let Some(model) = runner.model_of(scenario, &mut Diagnostics::default()) {
                    self.elsewhere.lock().insert(model.path);
                }
                return false;
            }
            let hash = || {
                let (model, own) = self.inputs(scenario, runner);
                let models = &mut runner.models.lock();
                let mut hashes = self.hashes.lock();
                let mut shared = hashes.of_shared(sources);
                hashes.of(&mut shared, &own, model.as_ref(), models)
            };
            if self
                .history
                .as_ref()
                .is_some_and(|history| !history.is_open(&address, hash))
            {
                return false;
            }
        }
        self.expressions
            .iter()
            .all(|expression| self.holds(expression, scenario, runner, sources))
    }

    fn elsewhere(&self) -> Option<BTreeSet<PathBuf>> {
        self.takes_whole_shard()
            .then(|| self.elsewhere.lock().clone())
    }
}
