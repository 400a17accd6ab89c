//! Selects the scenarios and models affected by an edit since some revision.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::prober::{Probed, Prober};
use super::scenario_probe::ScenarioProbe;
use crate::coverage::Touched;
use crate::scenario::{ModelKey, Runner, ScenarioText};
use fsmsim_core::engine::Machine;
use fsmsim_runtime::project::{GitChanges, GitCheckout, GitPath, ModelCache, Project};
use fsmsim_syntax::diagnostic::{Checked, Diagnostics, SourceMap};
use fsmsim_syntax::document::sequence_changes;
use fsmsim_syntax::threads::Mutex;

/// Selects the scenarios affected by an edit since some revision. Either a file that the scenario reads changed, or the
/// model changed. In the latter case, the scenario must cover a changed line in the old or new version, or have
/// a different result.
#[derive(Debug)]
pub struct ChangedSince {
    revision: Box<str>,
    changes: GitChanges,
    prober: Prober,
    former: Prober,
    models: Mutex<BTreeMap<ModelKey, Arc<ModelChange>>>,
}

/// How a model changed since the revision.
#[derive(Debug)]
enum ModelChange {
    /// The model is the same.
    None,
    /// The model did not exist, or was invalid.
    New,
    /// The model was different.
    Edited(Box<FormerModel>),
}

/// An earlier version of a model.
#[derive(Debug)]
struct FormerModel {
    machine: Arc<Machine>,
    /// The temporary checkout, which is deleted when this value is dropped.
    checkout: GitCheckout,
    /// The lines that differ, by path. `then` contains those in the earlier version, and `now` those in the current
    /// version.
    then: BTreeMap<String, BTreeSet<u32>>,
    now: BTreeMap<String, BTreeSet<u32>>,
}

impl ChangedSince {
    /// Finds the changes since a revision.
    ///
    /// # Errors
    /// Returns a finding if Git cannot read the revision.
    pub fn find(revision: &str) -> Checked<Self> {
        Ok(Self {
            revision: revision.into(),
            changes: GitChanges::since(revision)?,
            prober: Prober::default(),
            former: Prober::default(),
            models: Mutex::default(),
        })
    }

    pub(super) fn revision(&self) -> &str {
        &self.revision
    }

    /// Whether the edit affects a scenario. `sources` contains its file and the files that this file shares, and `own`
    /// returns the files that are read for this scenario alone.
    pub(super) fn touches(
        &self,
        scenario: &ScenarioText<'_>,
        runner: &Runner<'_>,
        sources: &SourceMap,
        own: impl FnOnce() -> Vec<PathBuf>,
    ) -> bool {
        if self.changes.is_empty() {
            return false;
        }
        let is_changed = |path: &Path| self.changes.has(path);
        let mut shared = sources.used_files();
        if shared.any(|file| is_changed(Path::new(file.path())))
            || own().iter().any(|file| is_changed(file))
        {
            return true;
        }
        let Some(key) = runner.model_of(scenario, &mut Diagnostics::default()) else {
            return true;
        };
        let change = self.model(&key, runner);
        let former = match &*change {
            ModelChange::None => return false,
            ModelChange::New => return true,
            ModelChange::Edited(former) => former,
        };
        let now = self
            .prober
            .probe(scenario, runner, ScenarioProbe::comparing());
        // A scenario that cannot be run is selected, because its model changed.
        let Some(now) = now else { return true };
        let played = Runner {
            answerers: None,
            judge: None,
            ..*runner
        };
        let model = ModelKey {
            path: former.checkout.path.clone(),
            ..key
        };
        let found = &mut Diagnostics::default();
        let then = played
            .prepare_on(scenario, model, &former.machine, Some(&now.machine), found)
            .ok()
            .and_then(|then| self.former.play(&then, ScenarioProbe::comparing()));
        let Some(then) = then else { return true };
        now.probe.hash() != then.probe.hash()
            || covers_line(&now, &former.now)
            || covers_line(&then, &former.then)
    }

    /// Whether a model differs from its version at the revision.
    pub fn has_model(&self, key: &ModelKey, now: &Machine) -> bool {
        !self.changes.is_empty() && !matches!(self.compared(key, now), ModelChange::None)
    }

    /// The lines of a model that differ from the revision, by path. `None` if the model is new.
    pub fn lines(&self, key: &ModelKey, now: &Machine) -> Option<BTreeMap<String, BTreeSet<u32>>> {
        if self.changes.is_empty() {
            return Some(BTreeMap::new());
        }
        match self.compared(key, now) {
            ModelChange::None => Some(BTreeMap::new()),
            ModelChange::New => None,
            ModelChange::Edited(former) => Some(former.now),
        }
    }

    /// How a model changed. Each model is compared only once.
    fn model(&self, key: &ModelKey, runner: &Runner<'_>) -> Arc<ModelChange> {
        let mut models = self.models.lock();
        let known = models.entry(key.clone());
        Arc::clone(known.or_insert_with(|| Arc::new(self.look_at(key, runner))))
    }

    fn look_at(&self, key: &ModelKey, runner: &Runner<'_>) -> ModelChange {
        let now = {
            let mut models = runner.models.lock();
            models.load(&key.path, key.variant)
        };
        now.map_or(ModelChange::New, |now| self.compared(key, &now))
    }

    /// How a model changed; `now` is its current version.
    fn compared(&self, key: &ModelKey, now: &Machine) -> ModelChange {
        if !self.changes.may_touch(&now.files) {
            return ModelChange::None;
        }
        let checkout = GitPath::find(&self.revision, &key.path).and_then(|path| path.take_model());
        let Ok(checkout) = checkout else {
            return ModelChange::New;
        };
        let mut sources = SourceMap::default();
        let mut found = Diagnostics::default();
        let project = Project::at(&checkout.root, &mut sources, &mut found);
        let then = ModelCache::new(&project, None).load(&checkout.path, key.variant);
        let Some(then) = then else {
            return ModelChange::New;
        };
        if then.files.fingerprint() == now.files.fingerprint() {
            return ModelChange::None;
        }
        let mut former = FormerModel {
            machine: then,
            checkout,
            then: BTreeMap::new(),
            now: BTreeMap::new(),
        };
        former.compare(now);
        ModelChange::Edited(Box::new(former))
    }
}

impl FormerModel {
    /// Determines the lines that differ.
    fn compare(&mut self, now: &Machine) {
        let names = self.checkout.names();
        // The current path of a file from the revision.
        let today = |path: &str| {
            let fitting = names
                .iter()
                .find_map(|(begin, _)| path.strip_prefix(begin.as_str()));
            fitting.unwrap_or(path).to_owned()
        };
        let then: Vec<(String, String)> = self
            .machine
            .files
            .used_files()
            .map(|source| (source.path().to_owned(), source.text().to_string()))
            .collect();
        let mut seen = BTreeSet::new();
        for (path, text) in &then {
            let other = now.files.named(&today(path));
            seen.insert(today(path));
            let (old, new) = changed_lines(text, other.map_or("", |source| &**source.text()));
            self.then.insert(path.clone(), old);
            self.now.insert(today(path), new);
        }
        for source in now
            .files
            .used_files()
            .filter(|source| !seen.contains(source.path()))
        {
            let (_, new) = changed_lines("", source.text());
            self.now.insert(source.path().to_owned(), new);
        }
    }
}

/// Whether a scenario covered one of these lines.
fn covers_line(probed: &Probed, lines: &BTreeMap<String, BTreeSet<u32>>) -> bool {
    let Touched { lines: touched, .. } = &probed.touched;
    touched.iter().any(|(file, from, to)| {
        lines
            .get(file)
            .is_some_and(|lines| lines.range(from..=to).next().is_some())
    })
}

/// The lines that differ between two texts, numbered from 1.
fn changed_lines(old: &str, new: &str) -> (BTreeSet<u32>, BTreeSet<u32>) {
    let (old, new): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
    let mut then = BTreeSet::new();
    let mut now = BTreeSet::new();
    let number = |index: usize| u32::try_from(index + 1).unwrap_or(u32::MAX);
    for (removed, added) in sequence_changes(&old, &new) {
        then.extend(removed.map(number));
        now.extend(added.map(number));
    }
    (then, now)
}
