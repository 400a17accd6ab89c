//! Holds what scenarios do now against their snapshots, and decides what is written.

use std::io;
use std::path::{Path, PathBuf};

use super::file::{self, SnapshotFile};
use super::snapshot_difference::SnapshotDifference;
use super::snapshot_ledger::{Newcomer, SnapshotHome, SnapshotLedger};
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
    /// Where its snapshot stands.
    pub home: SnapshotHome,
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
    Same {
        /// Its name, or what is in it, is as earlier versions wrote it.
        is_former: bool,
    },
    /// It was written.
    Accepted,
    /// It is the same, and was written anew, as this version writes it.
    Renewed,
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
    /// none. Where there are some, one of another name may be its own.
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
            home,
            record,
            expects,
            passed,
        } = now;
        let file = Path::new(&place.path);
        let SnapshotHome { path, former } = home;
        let pending = path.with_extension(PENDING);
        ledger.claims.take(path.clone(), "snapshot", title, place)?;
        let stands = former.as_ref().unwrap_or(&path);
        let old = is_there(stands)
            .then(|| SnapshotFile::read(stands))
            .transpose();
        let old = old.map_err(|error| Box::new(unreadable_snapshot(stands, &error)))?;
        let unwritable = |error: io::Error| Box::new(unwritable_snapshot(&path, &error));
        let now = || SnapshotFile {
            source: self.layout.from_root(file),
            title: title.to_owned(),
            record: record.clone(),
        };
        let may_accept = self.mode == SnapshotMode::Accept && passed;
        let has = |text: &str| old.as_ref().is_some_and(|old| old.record.text == text);
        let is_same = has(&record.text);
        if is_same || has(&record.former_text()) {
            // What was waiting is out of date. Where it cannot be removed, nothing is lost.
            if !matches!(self.mode, SnapshotMode::Check | SnapshotMode::Review) {
                let _ = file::remove(&pending);
            }
            let is_former = !is_same || former.is_some();
            if !may_accept || !is_former {
                return Ok(SnapshotOutcome::Same { is_former });
            }
            now().write(&path).map_err(unwritable)?;
            if let Some(former) = former {
                file::remove(&former).map_err(unwritable)?;
                ledger.moved.push((former, path));
            }
            return Ok(SnapshotOutcome::Renewed);
        }
        if old.is_none() {
            ledger
                .without
                .push(Newcomer::of(&record, &path, place, title));
        }
        if may_accept {
            now().write(&path).map_err(unwritable)?;
            for gone in former.iter().chain([&pending]) {
                file::remove(gone).map_err(unwritable)?;
            }
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

    /// Where the snapshot of a scenario stands; `folder` is that of its file.
    pub(super) fn home(&self, folder: &Path, file: &Path, title: &str) -> SnapshotHome {
        let path = self.layout.path_in(folder, title, ACCEPTED);
        let may_stand_elsewhere = self.has_any && !is_there(&path);
        let former = may_stand_elsewhere
            .then(|| self.former(file, title))
            .flatten();
        SnapshotHome { path, former }
    }

    /// Where earlier versions had the snapshot of a scenario, if there is one there that is its own.
    fn former(&self, file: &Path, title: &str) -> Option<PathBuf> {
        let former = self
            .layout
            .former_path_of(file, title, ACCEPTED)
            .filter(|former| is_there(former))?;
        let header = SnapshotFile::read(&former).ok()?;
        (header.title == title && self.layout.names_file(&header.source, file)).then_some(former)
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
    /// Takes note of a scenario, played or not: its snapshot is no orphan. Returns where that stands.
    pub fn meet(&mut self, checker: &SnapshotChecker, file: &Path, title: &str) -> SnapshotHome {
        let of_file = self.folder.take().filter(|(last, _)| last == file);
        let (_, folder) = self.folder.insert(
            of_file.unwrap_or_else(|| (file.to_path_buf(), checker.layout.folder_of(file))),
        );
        let home = checker.home(folder, file, title);
        self.owned.insert(home.path.clone());
        self.owned.extend(home.former.clone());
        home
    }

    /// Takes note of a file, or a folder, that could not be read: nobody knows what belongs to it.
    pub fn pass_over(&mut self, checker: &SnapshotChecker, file: &Path) {
        self.unknown.insert(checker.layout.folder_of(file));
    }
}
