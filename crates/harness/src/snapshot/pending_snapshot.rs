//! A pending snapshot, with or without an accepted one.

use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use super::file::SnapshotFile;
use super::snapshot_checker::{ACCEPTED, PENDING, SnapshotChecker, unreadable_snapshot};
use super::snapshot_difference::SnapshotDifference;
use fsmsim_syntax::diagnostic::Checked;
use fsmsim_syntax::files::check_writable;

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
        let read = |path: &Path| match path.is_file().then(|| SnapshotFile::read(path)).transpose()
        {
            // Another run has just decided it.
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            read => read.map_err(|error| Box::new(unreadable_snapshot(path, &error))),
        };
        let path = self.pending_path(file, title);
        let accepted = self.layout.path_of(file, title, ACCEPTED);
        let new = read(&path)?;
        let old = read(&accepted)?;
        Ok(new.map(|new| PendingSnapshot {
            path,
            accepted,
            old,
            new,
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

    /// Immediately makes this the accepted snapshot.
    pub fn accept(&self) -> io::Result<()> {
        self.decide(Some(&self.new), || {
            check_writable(&self.accepted)?;
            std::fs::rename(&self.path, &self.accepted)
        })
    }

    /// Deletes the pending snapshot.
    pub fn reject(&self) -> io::Result<()> {
        self.decide(self.old.as_ref(), || std::fs::remove_file(&self.path))
    }

    /// Carries out a decision, unless another run has already made it: then `accepted` is the accepted snapshot. Fails
    /// if another run has changed the file since it was read, because the user has not seen the new version.
    fn decide(
        &self,
        accepted: Option<&SnapshotFile>,
        act: impl FnOnce() -> io::Result<()>,
    ) -> io::Result<()> {
        let done = SnapshotFile::read(&self.path).and_then(|found| {
            if found == self.new {
                return act();
            }
            Err(io::Error::other("the snapshot changed after it was shown"))
        });
        match done {
            Err(error)
                if error.kind() == ErrorKind::NotFound
                    && SnapshotFile::read(&self.accepted).ok().as_ref() == accepted =>
            {
                Ok(())
            }
            done => done,
        }
    }
}
