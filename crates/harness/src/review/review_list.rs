//! The pending snapshots of a project.

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::review_entry::ReviewEntry;

/// The pending snapshots of a project.
#[derive(Debug, Default)]
pub struct ReviewList {
    /// The pending snapshots of scenarios, by scenario ID.
    pub entries: BTreeMap<String, ReviewEntry>,
    /// Snapshots that belong to no scenario.
    pub orphans: Vec<PathBuf>,
}

impl ReviewList {
    /// Those of the entries with these scenario IDs that can be accepted, in the order of the IDs.
    pub fn decidable<'l>(&'l self, ids: &'l [String]) -> impl Iterator<Item = &'l ReviewEntry> {
        ids.iter()
            .filter_map(|id| self.entry(id))
            .filter(|entry| entry.hindrance.is_none())
    }

    /// The entries that cannot be accepted.
    pub fn hindered(&self) -> impl Iterator<Item = &ReviewEntry> {
        self.entries
            .values()
            .filter(|entry| entry.hindrance.is_some())
    }

    /// The entry for this scenario ID.
    pub fn entry(&self, id: &str) -> Option<&ReviewEntry> {
        self.entries.get(id)
    }

    /// Removes an entry that was decided on.
    pub fn decided(&mut self, id: &str) {
        self.entries.remove(id);
    }

    pub fn is_empty(&self) -> bool {
        self.entries.is_empty() && self.orphans.is_empty()
    }
}
