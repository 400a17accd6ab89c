//! Orphaned and pending snapshots.

use std::cell::OnceCell;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use walkdir::WalkDir;

use super::file::{self, SnapshotFile};
use super::snapshot_checker::{
    ACCEPTED, PENDING, SnapshotChecker, SnapshotMode, unreadable_snapshot, unwritable_snapshot,
};
use super::snapshot_ledger::{Newcomer, SnapshotLedger, hash_of};
use fsmsim_runtime::project::tracked_files;
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Diagnostics, Place};
use fsmsim_syntax::files::real_path;

/// The snapshots that are orphaned or pending after a run.
#[derive(Debug, Default)]
pub struct LeftSnapshots {
    /// Orphans: snapshots of scenarios that no longer exist.
    pub orphans: Vec<Orphan>,
    /// Pending snapshots.
    pub pending: Vec<PathBuf>,
    /// The old and new paths of snapshots that were moved because their scenarios were renamed.
    pub moved: Vec<(PathBuf, PathBuf)>,
    /// The orphans that were removed.
    pub removed: Vec<PathBuf>,
    /// Findings about directories and files that could not be read or removed.
    pub found: Diagnostics,
}

/// A snapshot of a scenario that no longer exists.
#[derive(Debug)]
pub struct Orphan {
    pub path: PathBuf,
    /// A scenario that had no snapshot and has the same result. The former scenario may have been renamed to it.
    pub successor: Option<Successor>,
}

/// A scenario that has the same result as an orphan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Successor {
    pub place: Place,
    pub title: String,
}

/// Whether orphans are removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pruning {
    /// Orphans are kept.
    None,
    /// Orphans are removed.
    Orphans,
}

impl LeftSnapshots {
    /// Finds leftover snapshots for these scenario files and directories, after a run that reached all scenarios. If
    /// snapshots are being accepted, an orphan with a successor is removed.
    pub fn find(
        checker: &SnapshotChecker,
        mut ledger: SnapshotLedger,
        named: &[PathBuf],
        pruning: Pruning,
    ) -> Self {
        let mut left = Self::default();
        ledger.sort();
        let tracked = OnceCell::new();
        let is_tracked = |path: &Path| {
            let tracked = tracked.get_or_init(|| tracked_files(checker.layout.folder()));
            tracked.contains(&real_path(path))
        };
        for path in left.files(checker, named) {
            let name = path
                .file_name()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned();
            if ledger.unknown.iter().any(|folder| path.starts_with(folder)) {
                continue;
            }
            if let Some(accepted) = name.strip_suffix(&format!(".{PENDING}")) {
                let accepted = path.with_file_name(format!("{accepted}.{ACCEPTED}"));
                // An outdated file of an earlier local run is not a failure, unless it was committed.
                if checker.mode() == SnapshotMode::Check
                    && !ledger.differing.contains(&accepted)
                    && !is_tracked(&path)
                {
                    continue;
                }
                if ledger.owns(&accepted) {
                    left.pending.push(path);
                } else {
                    left.orphans.push(Orphan {
                        path,
                        successor: None,
                    });
                }
            } else if name.ends_with(&format!(".{ACCEPTED}")) && !ledger.owns(&path) {
                left.process_unowned(path, checker, &mut ledger);
            }
        }
        if pruning == Pruning::Orphans {
            for orphan in std::mem::take(&mut left.orphans) {
                if left.remove(&orphan.path, checker) {
                    left.removed.push(orphan.path);
                }
            }
        }
        left
    }

    /// Whether the user must decide about any snapshot.
    pub fn needs_decision(&self) -> bool {
        !self.orphans.is_empty() || !self.pending.is_empty()
    }

    /// All files in the snapshot directories, sorted.
    fn files(&mut self, checker: &SnapshotChecker, named: &[PathBuf]) -> Vec<PathBuf> {
        let mut files = Vec::new();
        for area in named.iter().flat_map(|path| checker.layout.areas_of(path)) {
            let walk = WalkDir::new(&area.folder)
                .min_depth(area.depth)
                .sort_by_file_name()
                .into_iter();
            for entry in walk.filter_entry(|entry| area.except.as_deref() != Some(entry.path())) {
                match entry {
                    Ok(entry) if !entry.file_type().is_dir() => files.push(entry.into_path()),
                    Ok(_) => {}
                    Err(error)
                        if error
                            .io_error()
                            .is_some_and(|error| error.kind() == ErrorKind::NotFound) => {}
                    Err(error) => {
                        let path = error.path().unwrap_or(&area.folder).display().to_string();
                        let why = error
                            .io_error()
                            .map(ToString::to_string)
                            .unwrap_or_default();
                        self.found.push(
                            Diagnostic::error(
                                Code::FileUnreadable,
                                format!("cannot read the snapshot directory `{path}`: {why}"),
                            )
                            .about(path)
                            .help("check the permissions of the directory"),
                        );
                    }
                }
            }
        }
        files.sort();
        files.dedup();
        files
    }

    /// Processes a snapshot that belongs to no scenario in the run.
    fn process_unowned(
        &mut self,
        path: PathBuf,
        checker: &SnapshotChecker,
        ledger: &mut SnapshotLedger,
    ) {
        let snapshot = match SnapshotFile::read(&path) {
            Ok(snapshot) => snapshot,
            Err(error) => return self.found.push(unreadable_snapshot(&path, &error)),
        };
        let hash = hash_of(&snapshot.record.text);
        let nearness = |newcomer: &Newcomer| {
            let same_file = checker
                .layout
                .names_file(&snapshot.source, Path::new(&newcomer.place.path));
            (newcomer.title != snapshot.title, !same_file)
        };
        let fitting = ledger
            .without
            .iter()
            .enumerate()
            .filter(|(_, newcomer)| newcomer.hash == hash);
        let nearest = fitting
            .min_by_key(|(_, newcomer)| nearness(newcomer))
            .map(|(number, _)| number);
        let successor = nearest.map(|number| ledger.without.remove(number));
        if let Some(newcomer) = successor.as_ref().filter(|newcomer| newcomer.path.exists())
            && checker.mode() == SnapshotMode::Accept
        {
            if self.remove(&path, checker) {
                self.moved.push((path, newcomer.path.clone()));
            }
            return;
        }
        let successor = successor.map(|Newcomer { place, title, .. }| Successor { place, title });
        self.orphans.push(Orphan { path, successor });
    }

    /// Removes a file, and any parent directories that this empties. Returns whether the file was removed.
    fn remove(&mut self, path: &Path, checker: &SnapshotChecker) -> bool {
        if let Err(error) = file::remove(path) {
            self.found.push(unwritable_snapshot(path, &error));
            return false;
        }
        let above = path
            .ancestors()
            .skip(1)
            .take_while(|folder| *folder != checker.layout.folder());
        for folder in above {
            // The first directory that is not empty is kept, and so are its parents.
            if std::fs::remove_dir(folder).is_err() {
                break;
            }
        }
        true
    }
}
