//! Records the snapshots of a run, and the scenarios that they belong to.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use xxhash_rust::xxh3::xxh3_64;

use super::snapshot_text::SnapshotRecord;
use fsmsim_runtime::project::ArtifactClaims;
use fsmsim_syntax::diagnostic::Place;

/// The snapshots of a run, and the scenarios that they belong to.
#[derive(Debug, Default)]
pub struct SnapshotLedger {
    /// The file of the last scenario, and the snapshot directory of that file. Cached because most files contain many
    /// scenarios.
    pub(super) folder: Option<(PathBuf, PathBuf)>,
    /// The snapshots that scenarios have claimed.
    pub(super) claims: ArtifactClaims,
    /// The snapshots that belong to a scenario, even if it did not run. Not sorted during the run.
    pub(super) owned: Vec<PathBuf>,
    /// The snapshot directories of files that could not be read, so that the owners of the snapshots are unknown.
    pub(super) unknown: BTreeSet<PathBuf>,
    /// The snapshots that differ from the results.
    pub(super) differing: BTreeSet<PathBuf>,
    /// Scenarios that had no snapshot before.
    pub(super) without: Vec<Newcomer>,
}

impl SnapshotLedger {
    /// Ends the run.
    pub(super) fn sort(&mut self) {
        self.owned.sort_unstable();
        self.owned.dedup();
    }

    /// Whether a snapshot belongs to a scenario of the run, which has ended.
    pub(super) fn owns(&self, path: &PathBuf) -> bool {
        self.owned.binary_search(path).is_ok()
    }
}

/// A scenario that had no snapshot before.
#[derive(Debug)]
pub(super) struct Newcomer {
    /// The hash of the scenario's result.
    pub hash: u64,
    /// The path of the scenario's snapshot.
    pub path: PathBuf,
    pub place: Place,
    pub title: String,
}

/// A hash of the text of a snapshot.
pub(super) fn hash_of(text: &str) -> u64 {
    xxh3_64(text.as_bytes())
}

impl Newcomer {
    pub(super) fn of(record: &SnapshotRecord, path: &Path, place: &Place, title: &str) -> Self {
        Self {
            hash: hash_of(&record.text),
            path: path.to_path_buf(),
            place: place.clone(),
            title: title.to_owned(),
        }
    }
}
