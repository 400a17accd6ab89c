//! What a run knows of snapshots and of those they belong to.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use xxhash_rust::xxh3::xxh3_64;

use super::snapshot_text::SnapshotRecord;
use fsmsim_runtime::project::ArtifactClaims;
use fsmsim_syntax::diagnostic::Place;

/// What a run knows of snapshots and of those they belong to.
#[derive(Debug, Default)]
pub struct SnapshotLedger {
    /// The file whose scenario was met last, and the folder of its snapshots: most files have many scenarios.
    pub(super) folder: Option<(PathBuf, PathBuf)>,
    /// The snapshots that scenarios took for themselves.
    pub(super) claims: ArtifactClaims,
    /// Those that belong to a scenario, played or not.
    pub(super) owned: BTreeSet<PathBuf>,
    /// Folders of files that could not be read: nobody knows what belongs there.
    pub(super) unknown: BTreeSet<PathBuf>,
    /// Scenarios that had no snapshot before.
    pub(super) without: Vec<Newcomer>,
}

/// A scenario that had no snapshot before.
#[derive(Debug)]
pub(super) struct Newcomer {
    /// The hash of what it does.
    pub hash: u64,
    /// Where its snapshot belongs.
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
