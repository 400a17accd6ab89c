//! What of a machine dialogues came to.

use std::collections::{BTreeMap, BTreeSet};

use crate::engine::RecordView;
use crate::machine::{ClassId, StateId};
use crate::scenario::TurnCollector;

/// What of a machine was seen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CoverageSet {
    /// The states in which a turn began or ended.
    pub states: BTreeSet<StateId>,
    /// The classes, with the number of their turns.
    pub classes: BTreeMap<ClassId, usize>,
}

impl TurnCollector for CoverageSet {
    fn turn(&mut self, line: &RecordView<'_>) {
        if let Some(outcome) = &line.record.outcome {
            let known = |state: &StateId| line.machine.is_declared(*state);
            self.states.extend([outcome.state.from, outcome.state.to].iter().filter(|state| known(state)));
            self.states.extend(line.record.path.iter().filter(|state| known(state)));
        }
        if let Some(class) = line.record.policies.contract.outcome.as_ref().and_then(|outcome| outcome.class) {
            *self.classes.entry(class).or_default() += 1;
        }
    }
}

impl CoverageSet {
    /// Notes what was seen elsewhere.
    pub fn add(&mut self, other: &Self) {
        self.states.extend(&other.states);
        for (class, turns) in &other.classes {
            *self.classes.entry(*class).or_default() += turns;
        }
    }
}
