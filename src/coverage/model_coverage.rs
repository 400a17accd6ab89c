//! What of one model the scenarios came to.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::coverage_kind::{CoverageKind, Share};
use super::coverage_set::CoverageSet;
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::engine::Machine;
use crate::engine::policy::contract::TransitionClass;
use crate::machine::{ClassId, StateId};

/// What of one model the scenarios came to; profiles of one model count together.
#[derive(Debug)]
pub struct ModelCoverage {
    machine: Arc<Machine>,
    seen: CoverageSet,
    /// The scenarios of each class.
    scenarios: BTreeMap<ClassId, usize>,
}

/// A class of transitions, with how often scenarios came to it.
#[derive(Clone, Copy, Debug)]
pub struct ClassCoverage<'m> {
    /// The class.
    pub class: &'m TransitionClass,
    /// Scenarios with such a turn.
    pub scenarios: usize,
    /// Such turns.
    pub turns: usize,
}

impl ModelCoverage {
    /// No scenario came to anything yet.
    pub fn new(machine: Arc<Machine>) -> Self {
        Self { machine, seen: CoverageSet::default(), scenarios: BTreeMap::new() }
    }

    /// Counts what a scenario came to.
    pub fn add(&mut self, seen: &CoverageSet) {
        self.seen.add(seen);
        for class in seen.classes.keys() {
            *self.scenarios.entry(*class).or_default() += 1;
        }
    }

    /// The model.
    pub fn machine(&self) -> &Machine {
        &self.machine
    }

    /// The classes in the order of the registry.
    pub fn classes(&self) -> impl Iterator<Item = ClassCoverage<'_>> {
        let classes = self.machine.contract().into_iter().flat_map(|contract| contract.classes.pairs());
        let count = |of: &BTreeMap<ClassId, usize>, id| of.get(&id).copied().unwrap_or_default();
        classes.map(move |(id, class)| ClassCoverage {
            class,
            scenarios: count(&self.scenarios, id),
            turns: count(&self.seen.classes, id),
        })
    }

    /// The states to which a scenario may come.
    fn states(&self) -> impl Iterator<Item = StateId> {
        self.machine.declared_states().filter(|(_, state)| !state.is_branch_end()).map(|(id, _)| id)
    }

    /// The states to which no scenario came, by name.
    pub fn unseen_states(&self) -> impl Iterator<Item = &str> {
        let unseen = self.states().filter(|state| !self.seen.states.contains(state));
        unseen.map(|state| self.machine.names.states.name(state))
    }

    /// How much of a kind was covered.
    pub fn share(&self, kind: CoverageKind) -> Share {
        match kind {
            CoverageKind::States => {
                let all = self.states().count();
                Share { covered: all - self.unseen_states().count(), all }
            }
            CoverageKind::Classes => {
                let covered = self.classes().filter(|class| class.scenarios > 0).count();
                Share { covered, all: self.classes().count() }
            }
        }
    }

    /// Findings about the classes that have no scenario.
    pub fn findings(&self) -> Diagnostics {
        let mut found = Diagnostics::default();
        for ClassCoverage { class, .. } in self.classes().filter(|class| class.scenarios == 0) {
            let title = format!("no scenario has a turn of the class `{}`", class.name);
            Diagnostic::warning(Code::NoFamily, title)
                .at(self.machine.rules[class.rule].span, "not covered")
                .help("write scenarios for it: one where all is well, one at the boundary, one that is forbidden")
                .add_to(&mut found);
        }
        found
    }
}
