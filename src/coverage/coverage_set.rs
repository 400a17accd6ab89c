//! What of a machine dialogues came to.

use std::collections::{BTreeMap, BTreeSet};

use crate::engine::{Change, RecordView};
use crate::machine::{ClassId, StateId};
use crate::scenario::TurnCollector;

/// What of a machine was seen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CoverageSet {
    /// The states to which a turn led, or in which it began a dialogue of its own accord; not those where a dialogue was put.
    pub states: BTreeSet<StateId>,
    /// The classes, with the number of their turns.
    pub classes: BTreeMap<ClassId, usize>,
}

impl TurnCollector for CoverageSet {
    fn turn(&mut self, line: &RecordView<'_>) {
        if let Some(outcome) = &line.record.outcome {
            let Change { from, to } = outcome.state;
            let begins = (line.record.turn == 1 && from == line.machine.initial).then_some(from);
            let entered = (from != to).then_some(to);
            let passed = begins.into_iter().chain(entered).chain(line.record.path.iter().copied());
            self.states.extend(passed.filter(|state| line.machine.is_declared(*state)));
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
