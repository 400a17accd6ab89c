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
    /// Files that were moved to where they belong.
    pub(super) moved: Vec<(PathBuf, PathBuf)>,
}

/// A scenario that had no snapshot before.
#[derive(Debug)]
pub(super) struct Newcomer {
    /// The hashes of what it does, as this version and as earlier ones write it.
    pub hashes: [u64; 2],
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
            hashes: [&record.text, &record.former_text()].map(|text| hash_of(text)),
            path: path.to_path_buf(),
            place: place.clone(),
            title: title.to_owned(),
        }
    }
}

impl SnapshotLedger {
    /// Moves a file of a scenario to where it belongs, where earlier versions had it elsewhere. For runs in which what is
    /// there is accepted.
    pub fn renew(&mut self, former: Option<PathBuf>, path: PathBuf) -> std::io::Result<()> {
        let Some(former) = former.filter(|former| former.exists() && !path.exists()) else {
            return Ok(());
        };
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder)?;
        }
        std::fs::rename(&former, &path)?;
        self.moved.push((former, path));
        Ok(())
    }
}

/// Where the snapshot of a scenario stands.
#[derive(Debug)]
pub struct SnapshotHome {
    /// Where it belongs.
    pub(super) path: PathBuf,
    /// Where earlier versions had it, if there is one there that is its own, and none where it belongs.
    pub(super) former: Option<PathBuf>,
}
