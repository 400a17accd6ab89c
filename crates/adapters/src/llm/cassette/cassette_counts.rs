//! Counts of the recordings of completed cassettes.

use fsmsim_syntax::threads::Mutex;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The counts of the recordings of a completed cassette.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CassetteCounts {
    /// Recordings that were replayed.
    pub replayed: u64,
    /// Requests that were sent because they had no recording.
    pub asked: u64,
    /// Unused recordings that are preserved.
    pub(super) taken_along: u64,
    /// Replayed or preserved recordings from an interrupted run.
    pub(super) taken_up: u64,
    /// Recordings in the old cassette.
    pub(super) old: u64,
    /// Invalid recordings.
    pub(super) bad: u64,
    /// The old cassette is unchanged.
    pub(super) is_kept: bool,
}

impl CassetteCounts {
    /// The counts of a new cassette with this number of requests.
    pub(in crate::llm) fn recorded_again(asked: u64) -> Self {
        Self {
            asked,
            ..Self::default()
        }
    }

    /// The number of recordings that are no longer in the cassette.
    pub fn dropped(&self) -> u64 {
        if self.is_kept {
            0
        } else {
            (self.old + self.bad).saturating_sub(self.replayed + self.taken_along - self.taken_up)
        }
    }

    /// Whether the cassette is unchanged.
    pub(super) fn is_unchanged(&self) -> bool {
        self.asked == 0 && self.taken_up == 0 && self.dropped() == 0 && self.old > 0
    }

    fn add(&mut self, more: Self) {
        self.replayed += more.replayed;
        self.asked += more.asked;
        self.taken_along += more.taken_along;
        self.taken_up += more.taken_up;
        self.old += more.old;
        self.bad += more.bad;
        self.is_kept |= more.is_kept;
    }
}

/// The counts of all cassettes that a run completed.
#[derive(Clone, Debug, Default)]
pub struct CompletionLog(Arc<Mutex<BTreeMap<PathBuf, CassetteCounts>>>);

impl CompletionLog {
    /// Adds the counts for a cassette.
    pub(in crate::llm) fn add(&self, path: &Path, counts: CassetteCounts) {
        let mut all = self.0.lock();
        all.entry(path.to_path_buf()).or_default().add(counts);
    }

    /// The cassettes by path.
    pub fn all(&self) -> Vec<(PathBuf, CassetteCounts)> {
        let all = self.0.lock();
        all.iter()
            .map(|(path, counts)| (path.clone(), *counts))
            .collect()
    }
}
