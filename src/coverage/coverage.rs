//! Coverage: what of the models the scenarios came to.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::machine::{ClassId, Machine};
use crate::scenario::CoverageSet;

/// What of the models the scenarios came to, model by model; profiles of one model count together.
#[derive(Debug, Default)]
pub struct Coverage {
    models: BTreeMap<PathBuf, ModelCoverage>,
}

/// What of one model the scenarios came to.
#[derive(Debug)]
pub struct ModelCoverage {
    machine: Arc<Machine>,
    seen: CoverageSet,
    /// The scenarios of each class.
    scenarios: BTreeMap<ClassId, usize>,
}

/// Something of which a share must be covered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CoverageKind {
    /// States that are the model's.
    States,
    /// Classes of transitions.
    Classes,
}

/// How many there are, and how many of them were covered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Share {
    /// Covered.
    pub covered: usize,
    /// All.
    pub all: usize,
}

impl CoverageKind {
    /// All kinds with their names.
    pub const ALL: [(Self, &'static str); 2] = [(Self::States, "states"), (Self::Classes, "classes")];
}

impl Share {
    /// Whether at least this share is covered, in percent.
    #[must_use]
    pub fn reaches(self, percent: u32) -> bool {
        self.covered * 100 >= self.all * percent as usize
    }

    /// The share in percent, rounded down.
    #[must_use]
    pub fn percent(self) -> usize {
        (self.covered * 100).checked_div(self.all).unwrap_or(100)
    }
}

impl Coverage {
    /// Counts what a scenario saw of a model.
    pub fn add(&mut self, model: &Path, machine: &Arc<Machine>, seen: &CoverageSet) {
        let coverage = self.models.entry(model.to_path_buf()).or_insert_with(|| ModelCoverage {
            machine: Arc::clone(machine),
            seen: CoverageSet::default(),
            scenarios: BTreeMap::new(),
        });
        coverage.seen.add(seen);
        for class in seen.classes.keys() {
            *coverage.scenarios.entry(*class).or_default() += 1;
        }
    }

    /// The models, by path.
    pub fn models(&self) -> impl Iterator<Item = (&Path, &ModelCoverage)> {
        self.models.iter().map(|(path, coverage)| (path.as_path(), coverage))
    }
}

impl ModelCoverage {
    /// The model.
    #[must_use]
    pub fn machine(&self) -> &Machine {
        &self.machine
    }

    /// The classes in the order of the registry: with the number of their scenarios and turns.
    pub fn classes(&self) -> impl Iterator<Item = (ClassId, usize, usize)> {
        let classes = self.machine.contract.iter().flat_map(|contract| contract.classes.ids());
        classes.map(|class| {
            let scenarios = self.scenarios.get(&class).copied().unwrap_or_default();
            (class, scenarios, self.seen.classes.get(&class).copied().unwrap_or_default())
        })
    }

    /// The states to which no scenario came, by name.
    pub fn unseen_states(&self) -> impl Iterator<Item = &str> {
        let states = self.machine.declared_states().map(|(state, _)| state);
        let unseen = states.filter(|state| !self.seen.states.contains(state));
        unseen.map(|state| self.machine.names.states.name(state))
    }

    /// How much of a kind was covered.
    #[must_use]
    pub fn share(&self, kind: CoverageKind) -> Share {
        match kind {
            CoverageKind::States => {
                let all = self.machine.declared_states().count();
                Share { covered: all - self.unseen_states().count(), all }
            }
            CoverageKind::Classes => {
                let covered = self.classes().filter(|(_, scenarios, _)| *scenarios > 0).count();
                Share { covered, all: self.classes().count() }
            }
        }
    }
}
