//! The counters that a session keeps.

use crate::engine::Machine;
use crate::machine::{CounterId, IdVec};

/// The counters that a session keeps: those that the machine declares. What policies count they work out themselves.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Counters {
    counts: IdVec<CounterId, i64>,
}

impl Counters {
    /// The counters of a dialogue that has not begun.
    pub(crate) fn new(machine: &Machine) -> Self {
        let mut counts = IdVec::default();
        for counter in &machine.counters {
            counts.push(counter.initial);
        }
        Self { counts }
    }

    /// The value of a counter; 0 of one that is not kept.
    pub fn get(&self, counter: CounterId) -> i64 {
        self.counts.lookup(counter).copied().unwrap_or(0)
    }

    /// Sets a counter that is kept.
    pub(crate) fn set(&mut self, counter: CounterId, count: i64) {
        if let Some(place) = self.counts.lookup_mut(counter) {
            *place = count;
        }
    }

    /// Sets a counter that the machine declares; others are worked out.
    pub fn set_declared(&mut self, machine: &Machine, name: &str, count: i64) {
        let declared = |id: &CounterId| {
            machine
                .counters
                .lookup(*id)
                .is_some_and(|counter| counter.is_declared)
        };
        if let Some(counter) = machine.names.counters.id(name).filter(declared) {
            self.set(counter, count);
        }
    }

    /// The counters that the machine declares, by name.
    pub fn declared<'m>(&self, machine: &'m Machine) -> impl Iterator<Item = (&'m str, i64)> {
        let declared = machine
            .counters
            .pairs()
            .filter(|(_, counter)| counter.is_declared);
        declared.map(|(id, _)| (machine.names.counters.name(id), self.get(id)))
    }

    /// Copies `other` without giving up memory.
    pub(crate) fn copy_from(&mut self, other: &Self) {
        self.counts.copy_from(&other.counts);
    }
}
