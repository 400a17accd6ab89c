//! Holds what scenarios do now against their snapshots, and decides what is written.

use std::io;
use std::path::Path;

use super::file;
use super::snapshot_text::SnapshotText;
use crate::diagnostic::{Code, Diagnostic, Diagnostics, Place};
use crate::project::{ArtifactClaims, ArtifactLayout, Project};
use crate::trace::RecordField;

/// The extension of a snapshot.
const ACCEPTED: &str = "snap";
/// The extension of a difference that waits for a decision.
const PENDING: &str = "snap.new";

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
    layout: ArtifactLayout,
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

/// What came of the snapshot of a scenario.
#[derive(Debug)]
pub enum SnapshotOutcome {
    /// There is none, and none is needed.
    None,
    /// It is the same.
    Same,
    /// It was written.
    Accepted,
    /// It differs, or is missing where it is needed: the old text, the new one, and the file that waits.
    Differs {
        /// The text that was accepted; nothing where there is none.
        old: Option<String>,
        /// The text now.
        new: String,
        /// The file that waits for a decision, where it was written.
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
            let field =
                |name: &String| RecordField::from_name(name).or_else(|| unknown_field(name, project).refuse(found));
            names.iter().filter_map(field).collect()
        });
        let layout = project.artifacts_in(&project.snapshots);
        Self { mode, fields, layout }
    }

    /// The text in which a scenario is written down while it is played; nothing where it has no snapshot and needs none.
    pub fn begin(&self, scenario: &Path, title: &str, expects: bool) -> Option<SnapshotText> {
        let exists = || self.layout.path_of(scenario, title, ACCEPTED).exists();
        let is_wanted = self.mode == SnapshotMode::Accept || !expects || exists();
        is_wanted.then(|| SnapshotText::new(self.fields.as_deref()))
    }

    /// Compares what a scenario does now with its snapshot, which it takes for itself, and writes what is to be written.
    ///
    /// # Errors
    /// The finding about a snapshot that cannot be read or written, or that another scenario has.
    pub fn check(&self, now: NewSnapshot<'_>, claims: &mut ArtifactClaims) -> Result<SnapshotOutcome, Box<Diagnostic>> {
        let NewSnapshot { place, title, text: new, expects, passed } = now;
        let path = |extension| self.layout.path_of(Path::new(&place.path), title, extension);
        let (accepted, pending) = (path(ACCEPTED), path(PENDING));
        claims.take(accepted.clone(), "snapshot", title, place)?;
        let old = accepted.exists().then(|| file::read(&accepted)).transpose();
        let old = old.map_err(|error| Box::new(unreadable_snapshot(&accepted, &error)))?;
        let unwritable = |error: io::Error| Box::new(unwritable_snapshot(&accepted, &error));
        if old.as_deref() == Some(&*new) {
            // What was waiting is out of date. Where it cannot be removed, nothing is lost.
            if self.mode != SnapshotMode::Check {
                let _ = file::remove(&pending);
            }
            return Ok(SnapshotOutcome::Same);
        }
        if self.mode == SnapshotMode::Accept && passed {
            file::write(&accepted, &place.path, title, &new).map_err(unwritable)?;
            file::remove(&pending).map_err(unwritable)?;
            return Ok(SnapshotOutcome::Accepted);
        }
        if old.is_none() && expects {
            return Ok(SnapshotOutcome::None);
        }
        let is_proposed = self.mode == SnapshotMode::Propose;
        if is_proposed {
            file::write(&pending, &place.path, title, &new).map_err(unwritable)?;
        }
        Ok(SnapshotOutcome::Differs { old, new, pending: is_proposed.then(|| pending.display().to_string()) })
    }
}

fn unknown_field(name: &str, project: &Project) -> Diagnostic {
    Diagnostic::error(Code::BadProject, format!("`snapshot.fields` names `{name}`, which is no field"))
        .about(project.root.join("fsmsim.toml").display().to_string())
        .offer(name, "fields", RecordField::of_outcome().map(RecordField::name))
}

fn unreadable_snapshot(path: &Path, error: &io::Error) -> Diagnostic {
    let path = path.display().to_string();
    Diagnostic::error(Code::FileUnreadable, format!("the snapshot `{path}` cannot be read: {error}"))
        .about(path)
        .help("restore it from your version control, or remove it and accept what the scenario does now")
}

fn unwritable_snapshot(path: &Path, error: &io::Error) -> Diagnostic {
    let path = path.display().to_string();
    Diagnostic::error(Code::CannotWrite, format!("the snapshot `{path}` cannot be written: {error}"))
        .about(path)
        .help("check the rights of the folder; nothing was changed, and `--check` runs without writing")
}
