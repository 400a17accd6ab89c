//! Collects the coverage of the models in a run.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::coverage_report::CoverageReport;
use super::coverage_set::CoverageSet;
use super::model_coverage::ModelCoverage;
use crate::scenario::{ScenarioResult, ScenarioVerdict};
use fsmsim_core::engine::Machine;
use fsmsim_core::machine::Profile;
use fsmsim_runtime::project::{ModelCache, Project, neighboring_models};
use fsmsim_syntax::diagnostic::{Diagnostics, SourceMap};
use fsmsim_syntax::files::real_path;
use fsmsim_syntax::threads::Threads;

/// The coverage of the models in a run, by path.
#[derive(Debug, Default)]
pub struct CountedModels {
    models: BTreeMap<PathBuf, ModelCoverage>,
}

impl CountedModels {
    /// Adds a model without coverage, unless it exists already.
    pub fn add_model(&mut self, path: &Path, machine: &Arc<Machine>) {
        self.models
            .entry(path.to_path_buf())
            .or_insert_with(|| ModelCoverage::new(machine));
    }

    /// Adds the coverage of a scenario. A scenario that did not pass does not test anything, so it does not count.
    pub fn add(
        &mut self,
        result: &ScenarioResult,
        seen: Option<&CoverageSet>,
        models: &mut ModelCache,
    ) {
        let Some(model) = &result.model else { return };
        let Some(machine) = models.load(&model.path, model.variant) else {
            return;
        };
        let counted = self
            .models
            .entry(model.path.clone())
            .or_insert_with(|| ModelCoverage::new(&machine));
        if let Some(seen) = seen.filter(|_| result.verdict() == ScenarioVerdict::Passed) {
            counted.add(&machine, seen);
        }
    }

    /// Removes the coverage of the model at a path.
    pub(crate) fn take(&mut self, path: &Path) -> Option<ModelCoverage> {
        let path = real_path(path);
        let known = self.models.keys().find(|known| real_path(known) == path);
        let known = known?.clone();
        self.models.remove(&known)
    }

    /// Adds the project models that no scenario names, without coverage. `elsewhere` contains the models that only
    /// scenarios of other shards name. `emit` receives the findings from loading the models.
    pub fn add_untested(
        &mut self,
        elsewhere: &BTreeSet<PathBuf>,
        project: &Project,
        profile: Option<Profile>,
        models: &mut ModelCache,
        emit: &mut dyn FnMut(&Diagnostics, &SourceMap),
    ) {
        let profile = profile.or(project.profile).unwrap_or_default();
        let named: Vec<PathBuf> = self.models.keys().chain(elsewhere).cloned().collect();
        for path in neighboring_models(named.iter().map(PathBuf::as_path)) {
            if let Some(machine) = models.load(&path, profile) {
                self.models
                    .insert(path.clone(), ModelCoverage::new(&machine));
            }
            if let Some(found) = models.findings(&path, profile) {
                // Only `fsmsim lint` reports keys that belong to other tools.
                emit(&found.without_key_notes(), models.sources());
            }
        }
    }

    /// Searches all dialogues of the models, up to this number of states each. Items that no dialogue covers are then
    /// unattainable.
    pub fn prove(&mut self, states: usize, threads: &Threads) {
        for model in self.models.values_mut() {
            model.prove(states, threads);
        }
    }

    /// The report, with paths relative to the project.
    pub fn report(&self, project: &Project) -> CoverageReport {
        let shown = |path: &str| from_project(&project.root, path);
        let models = self
            .models
            .iter()
            .map(|(path, model)| (shown(&path.display().to_string()), model.report(shown)));
        CoverageReport {
            models: models.collect(),
        }
    }

    /// The source texts, by path relative to the project.
    pub fn sources(&self, project: &Project) -> BTreeMap<String, Arc<str>> {
        self.models
            .values()
            .flat_map(ModelCoverage::sources)
            .map(|(path, text)| (from_project(&project.root, &path), text))
            .collect()
    }

    /// Coverage findings about the models themselves, each with its machine.
    pub fn findings(&self) -> impl Iterator<Item = (Diagnostics, &Machine)> {
        self.models.values().filter_map(ModelCoverage::findings)
    }
}

/// A path relative to the project directory, with `/` as the separator.
fn from_project(root: &Path, path: &str) -> String {
    let path = Path::new(path);
    let here = std::env::current_dir().unwrap_or_default();
    let inner = path.strip_prefix(&here).unwrap_or(path);
    let inner = if root.as_os_str().is_empty() {
        inner
    } else {
        inner.strip_prefix(root).unwrap_or(inner)
    };
    inner
        .display()
        .to_string()
        .replace(std::path::MAIN_SEPARATOR, "/")
}
