//! Holds what scenarios do now against their snapshots, and decides what is written.

use std::io;
use std::path::{Path, PathBuf};

use super::file::{self, SnapshotFile};
use super::snapshot_difference::SnapshotDifference;
use super::snapshot_ledger::{Newcomer, SnapshotLedger};
use super::snapshot_text::{SnapshotRecord, SnapshotText};
use fsmsim_core::trace::RecordField;
use fsmsim_runtime::project::{ArtifactLayout, Project};
use fsmsim_syntax::diagnostic::{Checked, Code, Diagnostic, Diagnostics, Place};

/// The extension of a snapshot.
pub(super) const ACCEPTED: &str = "snap";
/// The extension of a difference that waits for a decision.
pub(super) const PENDING: &str = "snap.new";

/// What is done where a scenario does something else than its snapshot has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SnapshotMode {
    /// Nothing is written.
    Check,
    /// The difference is left pending, beside the snapshot.
    Propose,
    /// What the scenario does now is its snapshot.
    Accept,
    /// Nothing is written; what waits for a decision is held against what the scenario does now.
    Review,
}

/// Holds what scenarios do now against their snapshots.
#[derive(Clone, Debug)]
pub struct SnapshotChecker {
    mode: SnapshotMode,
    /// The fields that the project chooses.
    fields: Option<Vec<RecordField>>,
    pub(super) layout: ArtifactLayout,
    /// There were snapshots when the run began: where there were none, nothing is looked for, scenario by scenario.
    has_any: bool,
}

/// What a scenario does now.
#[derive(Debug)]
pub struct NewSnapshot<'s> {
    /// Where the scenario is written.
    pub place: &'s Place,
    pub title: &'s str,
    /// The path of its snapshot.
    pub path: PathBuf,
    /// What it does.
    pub record: SnapshotRecord,
    /// It expects something.
    pub expects: bool,
    /// Everything was as it expects.
    pub passed: bool,
}

/// What came of the snapshot of a scenario.
#[derive(Debug)]
pub enum SnapshotOutcome {
    /// There is none, and none is needed.
    None,
    Same,
    /// It was written.
    Accepted,
    /// It differs, or is missing where it is needed.
    Differs {
        /// What differs; nothing where there is none.
        difference: Option<SnapshotDifference>,
        /// The file that waits for a decision, where it was written, or, in a review, has what the scenario does now.
        pending: Option<String>,
    },
}

impl SnapshotOutcome {
    /// Whether somebody has to decide.
    pub fn differs(&self) -> bool {
        matches!(self, Self::Differs { .. })
    }
}

impl SnapshotChecker {
    /// The snapshots of a project. Findings where it chooses fields that there are not.
    pub fn new(project: &Project, mode: SnapshotMode, found: &mut Diagnostics) -> Self {
        let fields = project.snapshot_fields.as_deref().map(|names| {
            let field = |name: &String| {
                RecordField::from_name(name).or_else(|| unknown_field(name, project).refuse(found))
            };
            names.iter().filter_map(field).collect()
        });
        let layout = project.artifacts_in(&project.snapshots);
        let has_any = project
            .snapshots
            .read_dir()
            .is_ok_and(|mut entries| entries.next().is_some());
        Self {
            mode,
            fields,
            layout,
            has_any,
        }
    }

    /// What is done where a scenario does something else than its snapshot has.
    pub fn mode(&self) -> SnapshotMode {
        self.mode
    }

    /// The text in which a scenario is written down while it is played; nothing where there are no snapshots and it needs
    /// none. Where there are some, it may be a renamed scenario, whose snapshot has the old name.
    pub fn begin(&self, expects: bool) -> Option<SnapshotText> {
        let is_wanted = self.mode == SnapshotMode::Accept || !expects || self.has_any;
        is_wanted.then(|| SnapshotText::new(self.fields.as_deref()))
    }

    /// Compares what a scenario does now with its snapshot, which it takes for itself, and writes what is to be written.
    ///
    /// # Errors
    /// The finding about a snapshot that cannot be read or written, or that another scenario has.
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
            .transpose();
        let old = old.map_err(|error| Box::new(unreadable_snapshot(&path, &error)))?;
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
            // What was waiting is out of date. Where it cannot be removed, nothing is lost.
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

/// Whether something is there; also what cannot be looked at, so that the reading tells why.
fn is_there(path: &Path) -> bool {
    path.try_exists()
        .unwrap_or_else(|error| error.kind() != io::ErrorKind::NotADirectory)
}

fn unknown_field(name: &str, project: &Project) -> Diagnostic {
    Diagnostic::error(
        Code::BadProject,
        format!("`snapshot.fields` names `{name}`, which is no field"),
    )
    .about(project.root.join("fsmsim.toml").display().to_string())
    .offer(
        name,
        "fields",
        RecordField::of_outcome().map(RecordField::name),
    )
}

pub(super) fn unreadable_snapshot(path: &Path, error: &io::Error) -> Diagnostic {
    let path = path.display().to_string();
    Diagnostic::error(
        Code::FileUnreadable,
        format!("the snapshot `{path}` cannot be read: {error}"),
    )
    .about(path)
    .help(
        "restore it from your version control, or remove it and accept what the scenario does now",
    )
}

pub(super) fn unwritable_snapshot(path: &Path, error: &io::Error) -> Diagnostic {
    let path = path.display().to_string();
    Diagnostic::error(
        Code::CannotWrite,
        format!("the snapshot `{path}` cannot be written: {error}"),
    )
    .about(path)
    .help("check the rights of the folder; nothing was changed, and `--check` runs without writing")
}

impl SnapshotLedger {
    /// Takes note of a scenario, played or not: its snapshot is no orphan. Returns the path of that.
    pub fn meet(&mut self, checker: &SnapshotChecker, file: &Path, title: &str) -> PathBuf {
        let of_file = self.folder.take().filter(|(last, _)| last == file);
        let (_, folder) = self.folder.insert(
            of_file.unwrap_or_else(|| (file.to_path_buf(), checker.layout.folder_of(file))),
        );
        let path = checker.layout.path_in(folder, title, ACCEPTED);
        self.owned.insert(path.clone());
        path
    }

    /// Takes note of a file, or a folder, that could not be read: nobody knows what belongs to it.
    pub fn pass_over(&mut self, checker: &SnapshotChecker, file: &Path) {
        self.unknown.insert(checker.layout.folder_of(file));
    }
}
