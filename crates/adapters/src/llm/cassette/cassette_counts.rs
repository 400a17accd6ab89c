//! What became of the recordings of cassettes that were completed.

use fsmsim_syntax::threads::Mutex;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What became of the recordings of a cassette that was completed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CassetteCounts {
    /// Recordings that answered.
    pub replayed: u64,
    /// Requests that had none, and were asked.
    pub asked: u64,
    /// Those that nobody asked for, and that stay.
    pub(super) taken_along: u64,
    /// Those of both that a run which was broken off had left.
    pub(super) taken_up: u64,
    /// Recordings that were there.
    pub(super) old: u64,
    /// Recordings that could not be used.
    pub(super) bad: u64,
    /// The old cassette stays as it was.
    pub(super) is_kept: bool,
}

impl CassetteCounts {
    /// Nothing was there, and so much was asked.
    pub(in crate::llm) fn asked_anew(asked: u64) -> Self {
        Self {
            asked,
            ..Self::default()
        }
    }

    /// Recordings that are in the cassette no more.
    pub fn dropped(&self) -> u64 {
        if self.is_kept {
            0
        } else {
            (self.old + self.bad).saturating_sub(self.replayed + self.taken_along - self.taken_up)
        }
    }

    /// Whether the cassette is as it was.
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

/// What became of the recordings of all cassettes that a run completed.
#[derive(Clone, Debug, Default)]
pub struct CompletionLog(Arc<Mutex<BTreeMap<PathBuf, CassetteCounts>>>);

impl CompletionLog {
    /// Adds what became of recordings of a cassette.
    pub(in crate::llm) fn add(&self, path: &Path, counts: CassetteCounts) {
        let mut all = self.0.lock();
        all.entry(path.to_path_buf()).or_default().add(counts);
    }

    /// The cassettes, by path.
    pub fn all(&self) -> Vec<(PathBuf, CassetteCounts)> {
        let all = self.0.lock();
        all.iter()
            .map(|(path, counts)| (path.clone(), *counts))
            .collect()
    }
}
