//! What waits beside a snapshot, or in the place of one, for a decision.

use std::io;
use std::path::{Path, PathBuf};

use super::file::{self, SnapshotFile};
use super::snapshot_checker::{ACCEPTED, PENDING, SnapshotChecker, unreadable_snapshot};
use super::snapshot_difference::SnapshotDifference;
use fsmsim_syntax::diagnostic::Checked;

/// What waits for a decision, as it was when it was read.
#[derive(Clone, Debug)]
pub struct PendingSnapshot {
    /// The file.
    pub path: PathBuf,
    accepted: PathBuf,
    old: Option<SnapshotFile>,
    new: SnapshotFile,
}

impl SnapshotChecker {
    /// Whether a decision is to be made about the snapshot of a scenario.
    pub fn is_pending(&self, file: &Path, title: &str) -> bool {
        self.pending_path(file, title).is_file()
    }

    /// What waits for the scenario with this title in this file; nothing where nothing does.
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
    /// What differs from the snapshot; nothing where there is none yet.
    pub fn difference(&self) -> Option<SnapshotDifference> {
        self.old
            .as_ref()
            .map(|old| SnapshotDifference::between(&old.record, &self.new.record))
    }

    /// All turns, with what differs; without a snapshot all of them are new.
    pub fn dialogue(&self) -> SnapshotDifference {
        let none = SnapshotFile::default();
        let old = self.old.as_ref().unwrap_or(&none);
        SnapshotDifference::dialogue(&old.record, &self.new.record)
    }

    /// Makes it the snapshot, at once.
    pub fn accept(&self) -> io::Result<()> {
        self.check_unchanged()?;
        std::fs::rename(&self.path, &self.accepted)
    }

    /// Removes it.
    pub fn reject(&self) -> io::Result<()> {
        self.check_unchanged()?;
        file::remove(&self.path)
    }

    /// Another run may have written it meanwhile: nobody has decided about that.
    fn check_unchanged(&self) -> io::Result<()> {
        if SnapshotFile::read(&self.path)? == self.new {
            return Ok(());
        }
        Err(io::Error::other(
            "it has changed meanwhile; `fsmsim review` shows what it is now",
        ))
    }
}
