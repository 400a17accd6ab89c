//! Where snapshots live, and what is done with a difference.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};

use super::file::{render_file, text_of_file, write_whole};
use crate::project::{ArtifactLayout, ArtifactPath};

/// The snapshots of a project.
#[derive(Debug)]
pub struct SnapshotStore {
    layout: ArtifactLayout,
    /// The files of the folders that were looked into.
    listed: BTreeMap<PathBuf, BTreeSet<String>>,
}

/// The place of a snapshot.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SnapshotName(ArtifactPath);

impl SnapshotName {
    /// The file.
    #[must_use]
    pub fn path(&self) -> PathBuf {
        self.0.path(EXTENSION)
    }

    /// The file of a difference that waits for a decision.
    #[must_use]
    pub fn pending_path(&self) -> PathBuf {
        self.0.path("snap.new")
    }
}

/// The extension of a snapshot.
const EXTENSION: &str = "snap";

impl SnapshotStore {
    /// The snapshots that stand like this.
    #[must_use]
    pub fn new(layout: ArtifactLayout) -> Self {
        Self { layout, listed: BTreeMap::new() }
    }

    /// The place of a scenario's snapshot.
    pub fn name(&mut self, file: &Path, title: &str) -> SnapshotName {
        SnapshotName(self.layout.mark(file, title))
    }

    /// Whether the snapshot exists.
    pub fn exists(&mut self, name: &SnapshotName) -> bool {
        let files = self.listed.entry(name.0.folder().to_path_buf()).or_insert_with_key(|folder| {
            let entries = std::fs::read_dir(folder).into_iter().flatten();
            entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok()).collect()
        });
        files.contains(&name.0.name(EXTENSION))
    }

    /// The text of the snapshot.
    ///
    /// # Errors
    /// Those of reading; a file that is no snapshot is one too.
    pub fn read(&self, name: &SnapshotName) -> io::Result<String> {
        let file = std::fs::read_to_string(name.path())?;
        text_of_file(&file).ok_or_else(|| {
            io::Error::new(io::ErrorKind::InvalidData, "it is no snapshot: the header is missing")
        })
    }

    /// Writes the snapshot and drops what was pending.
    ///
    /// # Errors
    /// Those of writing; nothing has changed then.
    pub fn accept(&mut self, name: &SnapshotName, source: &str, title: &str, text: &str) -> io::Result<()> {
        write_whole(&name.path(), &render_file(source, title, text))?;
        self.listed.remove(name.0.folder());
        self.settle(name)
    }

    /// Writes a difference that waits for a decision.
    ///
    /// # Errors
    /// Those of writing.
    pub fn leave_pending(
        &self,
        name: &SnapshotName,
        source: &str,
        title: &str,
        text: &str,
    ) -> io::Result<()> {
        write_whole(&name.pending_path(), &render_file(source, title, text))
    }

    /// Drops what was pending, since there is no difference any more.
    ///
    /// # Errors
    /// Those of removing a file that is there.
    pub fn settle(&self, name: &SnapshotName) -> io::Result<()> {
        match std::fs::remove_file(name.pending_path()) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }
}
