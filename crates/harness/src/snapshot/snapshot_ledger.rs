//! Records the snapshots of a run and their owners.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use xxhash_rust::xxh3::xxh3_64;

use super::snapshot_text::SnapshotRecord;
use fsmsim_runtime::project::ArtifactClaims;
use fsmsim_syntax::diagnostic::Place;

/// The snapshots of a run and their owners.
#[derive(Debug, Default)]
pub struct SnapshotLedger {
    /// The file of the last scenario, and the directory of its snapshots. Cached because most files have many scenarios.
    pub(super) folder: Option<(PathBuf, PathBuf)>,
    /// The snapshots that scenarios claimed.
    pub(super) claims: ArtifactClaims,
    /// The snapshots that belong to a scenario, even if it did not run.
    pub(super) owned: BTreeSet<PathBuf>,
    /// The directories of files that could not be read: the owners of their snapshots are unknown.
    pub(super) unknown: BTreeSet<PathBuf>,
    /// Scenarios that had no snapshot before.
    pub(super) without: Vec<Newcomer>,
}

/// A scenario that had no snapshot before.
#[derive(Debug)]
pub(super) struct Newcomer {
    /// The hash of its result.
    pub hash: u64,
    /// The path of its snapshot.
    pub path: PathBuf,
    pub place: Place,
    pub title: String,
}

/// The hash of a snapshot's text.
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
