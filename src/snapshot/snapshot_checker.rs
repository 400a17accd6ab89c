//! Holds what scenarios do now against their snapshots, and decides what is written.

use std::io;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use super::file;
use super::snapshot_outcome::SnapshotOutcome;
use super::snapshot_store::{ACCEPTED, PENDING, SnapshotStore};
use super::snapshot_text::SnapshotText;
use crate::diagnostic::{Code, Diagnostic, Diagnostics, Place};
use crate::project::{ArtifactClaims, ArtifactPath, Project};
use crate::trace::RecordField;

/// What is done where a scenario does something else than its snapshot has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SnapshotMode {
    /// Nothing is written.
    Check,
    /// The difference is left pending, beside the snapshot.
    Propose,
    /// What the scenario does now is its snapshot.
    Accept,
}

/// Holds what scenarios do now against their snapshots.
#[derive(Debug)]
pub struct SnapshotChecker {
    mode: SnapshotMode,
    /// The fields that the project chooses.
    fields: Option<Vec<RecordField>>,
    store: Mutex<SnapshotStore>,
    claims: ArtifactClaims,
}

/// What a scenario does now.
#[derive(Debug)]
pub struct NewSnapshot<'s> {
    /// Where the scenario is written.
    pub place: &'s Place,
    /// Its title.
    pub title: &'s str,
    /// The text of its snapshot.
    pub text: String,
    /// It expects something.
    pub expects: bool,
    /// Everything was as it expects.
    pub passed: bool,
}

impl SnapshotChecker {
    /// The snapshots of a project. Findings where it chooses fields that there are not.
    pub fn new(project: &Project, mode: SnapshotMode, found: &mut Diagnostics) -> Self {
        let fields = project.snapshot_fields.as_deref().map(|names| {
            let field = |name: &String| {
                RecordField::from_name(name).or_else(|| {
                    found.push(unknown_field(name, project));
                    None
                })
            };
            names.iter().filter_map(field).collect()
        });
        let store = Mutex::new(SnapshotStore::new(project.artifacts_in(&project.snapshots)));
        Self { mode, fields, store, claims: ArtifactClaims::default() }
    }

    /// The text in which a scenario is written down while it is played; nothing where it has no snapshot and needs none.
    pub fn begin(&self, scenario: &Path, title: &str, expects: bool) -> Option<SnapshotText> {
        let is_wanted = self.mode == SnapshotMode::Accept || !expects || {
            let mut store = self.store.lock().unwrap_or_else(PoisonError::into_inner);
            let place = store.place(scenario, title);
            store.exists(&place)
        };
        is_wanted.then(|| SnapshotText::new(self.fields.as_deref()))
    }

    /// Compares what a scenario does now with its snapshot, and writes what is to be written.
    ///
    /// # Errors
    /// The finding about a snapshot that cannot be read or written, or that another scenario has.
    pub fn check(&mut self, now: NewSnapshot<'_>) -> Result<SnapshotOutcome, Box<Diagnostic>> {
        let NewSnapshot { place, title, text: new, expects, passed } = now;
        let store = self.store.get_mut().unwrap_or_else(PoisonError::into_inner);
        let path = store.place(Path::new(&place.path), title);
        self.claims.take(path.path(ACCEPTED), "snapshot", title, format!("{}:{}", place.path, place.line))?;
        let old = if store.exists(&path) {
            Some(file::read(&path.path(ACCEPTED)).map_err(|error| Box::new(unreadable_snapshot(&path, &error)))?)
        } else {
            None
        };
        let unwritable = |error: io::Error| Box::new(unwritable_snapshot(&path, &error));
        if old.as_deref() == Some(&*new) {
            // What was waiting is out of date. Where it cannot be removed, nothing is lost.
            if self.mode != SnapshotMode::Check {
                let _ = file::remove(&path.path(PENDING));
            }
            return Ok(SnapshotOutcome::Same);
        }
        if self.mode == SnapshotMode::Accept && passed {
            store.accept(&path, &place.path, title, &new).map_err(unwritable)?;
            return Ok(SnapshotOutcome::Accepted);
        }
        if old.is_none() && expects {
            return Ok(SnapshotOutcome::None);
        }
        let mut pending = None;
        if self.mode == SnapshotMode::Propose {
            file::write(&path.path(PENDING), &place.path, title, &new).map_err(unwritable)?;
            pending = Some(path.path(PENDING).display().to_string());
        }
        Ok(SnapshotOutcome::Differs { old, new, pending })
    }
}

fn unknown_field(name: &str, project: &Project) -> Diagnostic {
    Diagnostic::error(Code::BadProject, format!("`snapshot.fields` names `{name}`, which is no field"))
        .about(project.root.join("fsmsim.toml").display().to_string())
        .offer(name, "fields", RecordField::of_outcome().map(RecordField::name))
}

fn unreadable_snapshot(name: &ArtifactPath, error: &io::Error) -> Diagnostic {
    let path = name.path(ACCEPTED).display().to_string();
    Diagnostic::error(Code::FileUnreadable, format!("the snapshot `{path}` cannot be read: {error}"))
        .about(path)
        .help("restore it from your version control, or remove it and accept what the scenario does now")
}

fn unwritable_snapshot(name: &ArtifactPath, error: &io::Error) -> Diagnostic {
    let path = name.path(ACCEPTED).display().to_string();
    Diagnostic::error(Code::CannotWrite, format!("the snapshot `{path}` cannot be written: {error}"))
        .about(path)
        .help("check the rights of the folder; nothing was changed, and `--check` runs without writing")
}
