//! Snapshots that wait for a decision, by what they are put down to.

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::review_entry::ReviewEntry;

/// Snapshots that wait for a decision.
#[derive(Debug, Default)]
pub struct ReviewList {
    /// Those of scenarios, by address.
    pub entries: BTreeMap<String, ReviewEntry>,
    /// Those that belong to no scenario.
    pub orphans: Vec<PathBuf>,
}

impl ReviewList {
    /// The entries of scenarios at these addresses that can be decided, in this order.
    pub fn decidable<'l>(&'l self, ids: &'l [String]) -> impl Iterator<Item = &'l ReviewEntry> {
        ids.iter()
            .filter_map(|id| self.entry(id))
            .filter(|entry| entry.hindrance.is_none())
    }

    /// Those that cannot be accepted.
    pub fn hindered(&self) -> impl Iterator<Item = &ReviewEntry> {
        self.entries
            .values()
            .filter(|entry| entry.hindrance.is_some())
    }

    /// The entry of the scenario at an address.
    pub fn entry(&self, id: &str) -> Option<&ReviewEntry> {
        self.entries.get(id)
    }

    /// The entry is decided.
    pub fn decided(&mut self, id: &str) {
        self.entries.remove(id);
    }

    /// Whether nothing waits.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty() && self.orphans.is_empty()
    }
}
