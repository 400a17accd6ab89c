//! Where snapshots live.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};

use super::file;
use crate::project::{ArtifactLayout, ArtifactPath};

/// The extension of a snapshot.
pub(super) const ACCEPTED: &str = "snap";
/// The extension of a difference that waits for a decision.
pub(super) const PENDING: &str = "snap.new";

/// The snapshots of a project.
#[derive(Debug)]
pub(super) struct SnapshotStore {
    layout: ArtifactLayout,
    /// The files of the folders that were looked into.
    listed: BTreeMap<PathBuf, BTreeSet<String>>,
}

impl SnapshotStore {
    /// The snapshots of a folder.
    pub(super) fn new(layout: ArtifactLayout) -> Self {
        Self { layout, listed: BTreeMap::new() }
    }

    /// The place of a scenario's snapshot.
    pub(super) fn place(&mut self, file: &Path, title: &str) -> ArtifactPath {
        self.layout.path_of(file, title)
    }

    /// Whether the snapshot exists.
    pub(super) fn exists(&mut self, place: &ArtifactPath) -> bool {
        let files = self.listed.entry(place.folder().to_path_buf()).or_insert_with_key(|folder| {
            let entries = std::fs::read_dir(folder).into_iter().flatten();
            entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok()).collect()
        });
        files.contains(&place.name(ACCEPTED))
    }

    /// Writes the snapshot and drops what was pending. Where writing fails, nothing has changed.
    pub(super) fn accept(&mut self, place: &ArtifactPath, source: &str, title: &str, text: &str) -> io::Result<()> {
        file::write(&place.path(ACCEPTED), source, title, text)?;
        self.listed.remove(place.folder());
        file::remove(&place.path(PENDING))
    }
}
