//! The scenarios of a project to review.

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::review_decision::ReviewDecision;
use super::review_entry::ReviewEntry;
use crate::suite::ExpectationUpdates;

/// The scenarios of a project to review.
#[derive(Debug, Default)]
pub struct ReviewList {
    /// The scenarios by ID.
    pub entries: BTreeMap<String, ReviewEntry>,
    /// Snapshots that belong to no scenario.
    pub orphans: Vec<PathBuf>,
}

impl ReviewList {
    /// Those of the entries with these scenario IDs that a decision applies to, in the order of the IDs. Any result can
    /// be rejected.
    pub fn decidable(
        &self,
        decision: ReviewDecision,
        ids: &[String],
    ) -> impl Iterator<Item = &ReviewEntry> {
        ids.iter()
            .filter_map(|id| self.entry(id))
            .filter(move |entry| decision == ReviewDecision::Reject || entry.is_acceptable())
    }

    /// Makes scenarios acceptable if some of their failed expectations can be replaced. Removes the others without a
    /// pending snapshot, because there is nothing to decide.
    pub fn repair(&mut self, updates: &ExpectationUpdates) {
        for entry in self.entries.values_mut() {
            if updates.edits_for(&entry.id).next().is_some() {
                entry.repair(!updates.refuses(&entry.id));
            }
        }
        self.entries
            .retain(|_, entry| entry.snapshot.is_some() || entry.is_acceptable());
    }

    /// The entries that cannot be accepted.
    pub fn hindered(&self) -> impl Iterator<Item = &ReviewEntry> {
        self.entries.values().filter(|entry| !entry.is_acceptable())
    }

    /// The entry for this scenario ID.
    pub fn entry(&self, id: &str) -> Option<&ReviewEntry> {
        self.entries.get(id)
    }

    /// Removes an entry that was decided on.
    pub fn decided(&mut self, id: &str) {
        self.entries.remove(id);
    }

    /// Keeps an entry whose scenario still fails after the decision.
    pub fn keep_failing(&mut self, id: &str) {
        if let Some(entry) = self.entries.get_mut(id) {
            entry.keep_failing();
        }
    }

    pub fn is_empty(&self) -> bool {
        self.entries.is_empty() && self.orphans.is_empty()
    }
}
