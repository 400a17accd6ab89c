//! What of the models the scenarios came to.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::coverage_set::CoverageSet;
use super::model_coverage::ModelCoverage;
use crate::engine::Machine;

/// What of the models the scenarios came to, model by model; profiles of one model count together.
#[derive(Debug, Default)]
pub struct Coverage {
    models: BTreeMap<PathBuf, ModelCoverage>,
}

impl Coverage {
    /// Counts what a scenario came to of a model.
    pub fn add(&mut self, model: &Path, machine: &Arc<Machine>, seen: &CoverageSet) {
        let coverage = self.models.entry(model.to_path_buf());
        coverage.or_insert_with(|| ModelCoverage::new(Arc::clone(machine))).add(seen);
    }

    /// The models, by path.
    pub fn models(&self) -> impl Iterator<Item = (&Path, &ModelCoverage)> {
        self.models.iter().map(|(path, coverage)| (path.as_path(), coverage))
    }
}
