//! A pending snapshot, with or without an accepted one.

use std::io;
use std::path::{Path, PathBuf};

use super::file::{self, SnapshotFile};
use super::snapshot_checker::{ACCEPTED, PENDING, SnapshotChecker, unreadable_snapshot};
use super::snapshot_difference::SnapshotDifference;
use fsmsim_syntax::diagnostic::Checked;

/// A pending snapshot, in the version that was read.
#[derive(Clone, Debug)]
pub struct PendingSnapshot {
    pub path: PathBuf,
    accepted: PathBuf,
    old: Option<SnapshotFile>,
    new: SnapshotFile,
}

impl SnapshotChecker {
    /// Whether a scenario has a pending snapshot.
    pub fn is_pending(&self, file: &Path, title: &str) -> bool {
        self.pending_path(file, title).is_file()
    }

    /// The pending snapshot, if any, of the scenario with this title in this file.
    pub fn pending(&self, file: &Path, title: &str) -> Checked<Option<PendingSnapshot>> {
        let path = self.pending_path(file, title);
        if !path.is_file() {
            return Ok(None);
        }
        let read = |path: &Path| {
            SnapshotFile::read(path).map_err(|error| Box::new(unreadable_snapshot(path, &error)))
        };
        let accepted = self.layout.path_of(file, title, ACCEPTED);
        let old = accepted.is_file().then(|| read(&accepted)).transpose()?;
        Ok(Some(PendingSnapshot {
            new: read(&path)?,
            old,
            path,
            accepted,
        }))
    }

    fn pending_path(&self, file: &Path, title: &str) -> PathBuf {
        self.layout.path_of(file, title, PENDING)
    }
}

impl PendingSnapshot {
    /// The difference from the accepted snapshot. `None` if there is no accepted snapshot.
    pub fn difference(&self) -> Option<SnapshotDifference> {
        self.old
            .as_ref()
            .map(|old| SnapshotDifference::between(&old.record, &self.new.record))
    }

    /// All turns, with their differences. Without an accepted snapshot, all turns are new.
    pub fn dialogue(&self) -> SnapshotDifference {
        let none = SnapshotFile::default();
        let old = self.old.as_ref().unwrap_or(&none);
        SnapshotDifference::dialogue(&old.record, &self.new.record)
    }

    /// Immediately makes this the accepted snapshot.
    pub fn accept(&self) -> io::Result<()> {
        self.check_unchanged()?;
        std::fs::rename(&self.path, &self.accepted)
    }

    /// Deletes the pending snapshot.
    pub fn reject(&self) -> io::Result<()> {
        self.check_unchanged()?;
        file::remove(&self.path)
    }

    /// Fails if another run has changed the file since it was read, because the user has not seen the new version.
    fn check_unchanged(&self) -> io::Result<()> {
        if SnapshotFile::read(&self.path)? == self.new {
            return Ok(());
        }
        Err(io::Error::other("the snapshot changed after it was shown"))
    }
}
