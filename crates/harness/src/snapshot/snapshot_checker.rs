//! Compares the results of scenarios with their snapshots, and writes snapshot files.

use std::io;
use std::path::{Path, PathBuf};

use walkdir::{DirEntry, WalkDir};

use super::file::{self, SnapshotFile};
use super::snapshot_difference::SnapshotDifference;
use super::snapshot_ledger::{Newcomer, SnapshotLedger, hash_of};
use super::snapshot_text::{SnapshotRecord, SnapshotText};
use fsmsim_core::trace::RecordField;
use fsmsim_runtime::project::{ArtifactLayout, Project};
use fsmsim_syntax::diagnostic::{Checked, Code, Diagnostic, Place};
use fsmsim_syntax::terminal::Joined;

/// The file extension of snapshots.
pub(crate) const ACCEPTED: &str = "snap";
/// The file extension of pending snapshots.
pub(super) const PENDING: &str = "snap.new";

/// The action to take if the result of a scenario differs from its snapshot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SnapshotMode {
    /// Writes nothing.
    Check,
    /// Writes a pending snapshot.
    Propose,
    /// Writes the accepted snapshot.
    Accept,
    /// Writes nothing, and compares pending snapshots with the results.
    Review,
}

/// Compares the results of scenarios with their snapshots.
#[derive(Clone, Debug)]
pub struct SnapshotChecker {
    mode: SnapshotMode,
    /// The fields that the project selects, if it does.
    fields: Option<Vec<RecordField>>,
    pub(super) layout: ArtifactLayout,
    /// The prefix of paths in the project.
    folder: String,
    /// Whether scenarios of the run can have snapshots. If not, they do not look for theirs.
    has_any: bool,
}

/// The current result of a scenario.
#[derive(Debug)]
pub struct NewSnapshot<'s> {
    /// The location of the scenario.
    pub place: &'s Place,
    pub title: &'s str,
    /// The path of the snapshot.
    pub path: PathBuf,
    pub record: SnapshotRecord,
    /// Whether the scenario has expectations.
    pub expects: bool,
    /// Whether all expectations were met.
    pub passed: bool,
}

/// The outcome of comparing a result with its snapshot.
#[derive(Debug, Default)]
pub enum SnapshotOutcome {
    /// There is no snapshot, and none is required.
    #[default]
    None,
    Same,
    /// The snapshot was written.
    Accepted,
    /// The snapshot differs, or is required but missing.
    Differs {
        /// The difference. `None` if there is no accepted snapshot.
        difference: Option<SnapshotDifference>,
        /// The pending file, if it was written or, in a review, contains the current result.
        pending: Option<String>,
    },
}

impl SnapshotOutcome {
    /// Whether the user must decide about the snapshot.
    pub fn differs(&self) -> bool {
        matches!(self, Self::Differs { .. })
    }
}

impl SnapshotChecker {
    /// Creates a checker for a project.
    pub fn new(project: &Project, mode: SnapshotMode) -> Self {
        Self {
            mode,
            fields: project.snapshot_fields.clone(),
            layout: project.artifacts_in(&project.snapshots),
            folder: project.prefix(),
            has_any: true,
        }
    }

    /// Looks for snapshots only if any scenario under these paths had one when the run started.
    pub(crate) fn under(mut self, named: &[PathBuf]) -> Self {
        let is_file = |entry: walkdir::Result<DirEntry>| match entry {
            Ok(entry) => !entry.file_type().is_dir(),
            // An unreadable directory can contain snapshots.
            Err(error) => error
                .io_error()
                .is_none_or(|error| error.kind() != io::ErrorKind::NotFound),
        };
        let mut areas = named.iter().flat_map(|path| self.layout.areas_of(path));
        self.has_any = areas.any(|area| WalkDir::new(area.folder).into_iter().any(is_file));
        self
    }

    pub fn mode(&self) -> SnapshotMode {
        self.mode
    }

    /// The text of the accepted snapshot of a scenario, if it can be read.
    pub(crate) fn accepted(&self, file: &Path, title: &str) -> Option<String> {
        let path = self.layout.path_of(file, title, ACCEPTED);
        Some(SnapshotFile::read(&path).ok()?.record.text)
    }

    /// Whether the snapshot of a scenario is built. It is not if no snapshots exist and none is required. If any exist,
    /// the scenario might have been renamed, so its snapshot might have the old name.
    pub(crate) fn is_wanted(&self, expects: bool) -> bool {
        self.mode == SnapshotMode::Accept || !expects || self.has_any
    }

    /// Starts the snapshot of a scenario, if it is built.
    pub fn begin(&self, expects: bool) -> Option<SnapshotText> {
        self.is_wanted(expects)
            .then(|| SnapshotText::new(self.fields.as_deref(), &self.folder))
    }

    /// Compares the result of a scenario with its snapshot, claims the snapshot, and writes files according to the
    /// mode.
    ///
    /// # Errors
    /// Returns an error if a snapshot cannot be read or written, or belongs to a different scenario.
    pub fn check(
        &self,
        now: NewSnapshot<'_>,
        ledger: &mut SnapshotLedger,
    ) -> Checked<SnapshotOutcome> {
        let NewSnapshot {
            place,
            title,
            path,
            record,
            expects,
            passed,
        } = now;
        let file = Path::new(&place.path);
        let pending = path.with_extension(PENDING);
        ledger.claims.take(path.clone(), "snapshot", title, place)?;
        let old = is_there(&path)
            .then(|| SnapshotFile::read(&path))
            .transpose()
            .map_err(|error| Box::new(unreadable_snapshot(&path, &error)))?;
        let unwritable = |error: io::Error| Box::new(unwritable_snapshot(&path, &error));
        let now = || SnapshotFile {
            source: self.layout.from_root(file),
            title: title.to_owned(),
            record: record.clone(),
        };
        if old
            .as_ref()
            .is_some_and(|old| old.record.text == record.text)
        {
            // A pending snapshot is outdated now. Failing to remove it does no harm.
            if !matches!(self.mode, SnapshotMode::Check | SnapshotMode::Review) {
                let _ = file::remove(&pending);
            }
            return Ok(SnapshotOutcome::Same);
        }
        if old.is_none() {
            ledger
                .without
                .push(Newcomer::of(&record, &path, place, title));
        }
        if self.mode == SnapshotMode::Accept && passed {
            now().write(&path).map_err(unwritable)?;
            file::remove(&pending).map_err(unwritable)?;
            return Ok(SnapshotOutcome::Accepted);
        }
        if old.is_none() && expects {
            return Ok(SnapshotOutcome::None);
        }
        ledger.differing.insert(path.clone());
        let is_proposed = self.mode == SnapshotMode::Propose;
        if is_proposed {
            now().write(&pending).map_err(unwritable)?;
        }
        let is_current =
            || SnapshotFile::read(&pending).is_ok_and(|waiting| waiting.record.text == record.text);
        let is_pending = is_proposed || (self.mode == SnapshotMode::Review && is_current());
        Ok(SnapshotOutcome::Differs {
            difference: old.map(|old| SnapshotDifference::between(&old.record, &record)),
            pending: is_pending.then(|| pending.display().to_string()),
        })
    }
}

/// Whether a file exists. Also true if this cannot be determined, so that reading the file reports why.
fn is_there(path: &Path) -> bool {
    path.try_exists()
        .unwrap_or_else(|error| error.kind() != io::ErrorKind::NotADirectory)
}

pub(super) fn unreadable_snapshot(path: &Path, error: &io::Error) -> Diagnostic {
    let path = path.display().to_string();
    Diagnostic::error(
        Code::FileUnreadable,
        format!("cannot read the snapshot `{path}`: {error}"),
    )
    .about(path)
    .help("restore it from version control, or remove it and accept the current result")
}

pub(super) fn unwritable_snapshot(path: &Path, error: &io::Error) -> Diagnostic {
    let path = path.display().to_string();
    Diagnostic::error(
        Code::CannotWrite,
        format!("cannot write the snapshot `{path}`: {error}"),
    )
    .about(path)
    .help("check the permissions of the directory, or use `--check` to run without writing")
}

impl SnapshotLedger {
    /// Records a scenario, even if it was not run, so that its snapshot is not considered an orphan. Returns the path
    /// of the snapshot.
    pub fn meet(&mut self, checker: &SnapshotChecker, file: &Path, title: &str) -> PathBuf {
        let of_file = self.folder.take().filter(|(last, _)| last == file);
        let (_, folder) = self.folder.insert(
            of_file.unwrap_or_else(|| (file.to_path_buf(), checker.layout.folder_of(file))),
        );
        let path = checker.layout.path_in(folder, title, ACCEPTED);
        self.owned.push(path.clone());
        path
    }

    /// The number of scenarios, including those that did not run, and a hash of their IDs.
    pub fn scenarios(&mut self, checker: &SnapshotChecker) -> (usize, u64) {
        self.sort();
        let folder = checker.layout.folder();
        let ids = self.owned.iter().filter_map(|path| {
            let id = path.strip_prefix(folder).ok()?;
            Some(id.to_string_lossy())
        });
        (self.owned.len(), hash_of(&ids.joined("\n")))
    }

    /// Records a file or directory that could not be read, so that the owners of its snapshots are unknown.
    pub fn mark_unknown(&mut self, checker: &SnapshotChecker, file: &Path) {
        self.unknown.insert(checker.layout.folder_of(file));
    }
}
