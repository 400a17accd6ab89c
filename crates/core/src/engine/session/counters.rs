//! The counters of a session.

use crate::engine::Machine;
use crate::machine::{CounterId, IdVec};

/// The counters of a session: those that the machine declares. Policies compute their counters themselves.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Counters {
    counts: IdVec<CounterId, i64>,
}

impl Counters {
    /// The counters of a new dialogue.
    pub(crate) fn new(machine: &Machine) -> Self {
        let mut counts = IdVec::default();
        for counter in &machine.counters {
            counts.push(counter.initial);
        }
        Self { counts }
    }

    /// The value of a counter; 0 if the session does not store it.
    pub fn get(&self, counter: CounterId) -> i64 {
        self.counts.lookup(counter).copied().unwrap_or(0)
    }

    /// Sets a counter that the session stores.
    pub(crate) fn set(&mut self, counter: CounterId, count: i64) {
        if let Some(entry) = self.counts.lookup_mut(counter) {
            *entry = count;
        }
    }

    /// Sets a declared counter; computed counters are ignored.
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
        machine
            .counters
            .pairs()
            .filter(|(_, counter)| counter.is_declared)
            .map(|(id, _)| (machine.names.counters.name(id), self.get(id)))
    }

    /// Copies `other` and reuses memory.
    pub(crate) fn copy_from(&mut self, other: &Self) {
        self.counts.copy_from(&other.counts);
    }
}
