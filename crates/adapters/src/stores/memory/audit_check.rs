//! Checks that an audit is complete, and that the memory matches it.

use std::collections::BTreeMap;

use rusqlite::types::ValueRef;
use rusqlite::{Connection, Error, Row};
use serde_json::Value as Json;

use super::audit_entry::{AuditKind, ChainHead};
use super::canonical::hash;
use super::memory_file::MemoryFile;
use super::sqlite_audit::head;
use fsmsim_syntax::diagnostic::Checked;

/// The result of checking an audit and the memory in the same file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditCheck {
    /// The end of the valid part of the chain.
    pub head: ChainHead,
    /// The number of artifacts in the audit.
    pub artifacts: usize,
    /// The first error.
    pub fault: Option<AuditFault>,
}

/// An error in an audit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditFault {
    /// The number of the entry with the error, if the error is in an entry.
    pub entry: Option<u64>,
    /// A description of the error.
    pub why: String,
}

/// Artifacts by ID, as recorded in the audit.
type Recorded = BTreeMap<String, RecordedArtifact>;

/// An artifact as recorded in an entry.
struct RecordedArtifact {
    /// The number of the entry.
    entry: u64,
    hash: String,
    /// The session and the turn that wrote the artifact, and its kind.
    place: (String, i64, String),
}

impl AuditCheck {
    /// Checks the chain of a file.
    pub fn of(file: &MemoryFile) -> Checked<Self> {
        let mut connection = file.look_into()?;
        // One transaction, so that concurrent writes do not matter.
        connection
            .transaction()
            .and_then(|view| Self::walk(&view))
            .map_err(|error| file.finding(&error).into())
    }

    fn walk(view: &Connection) -> Result<Self, Error> {
        let mut so_far = ChainHead::default();
        let mut recorded = Recorded::new();
        let mut select =
            view.prepare("SELECT number, id, entry, hash FROM audit ORDER BY number")?;
        let mut rows = select.query([])?;
        let mut fault = None;
        while let Some(row) = rows.next()? {
            fault = follow(&mut so_far, &mut recorded, row)?;
            if fault.is_some() {
                break;
            }
        }
        let artifacts = recorded.len();
        if fault.is_none() && head(view)? != so_far {
            let entry = Some(so_far.entries.saturating_add(1));
            fault = Some(AuditFault {
                entry,
                why: format!(
                    "the audit ends after entry {}, but its recorded end is different",
                    so_far.entries
                ),
            });
        }
        if fault.is_none() {
            fault = memory_fault(view, recorded)?;
        }
        Ok(Self {
            head: so_far,
            artifacts,
            fault,
        })
    }
}

/// Adds an entry to the chain. Returns its error, if any.
fn follow(
    so_far: &mut ChainHead,
    recorded: &mut Recorded,
    row: &Row<'_>,
) -> Result<Option<AuditFault>, Error> {
    let number = so_far.entries.saturating_add(1);
    let fault = |why: &str| {
        Ok(Some(AuditFault {
            entry: Some(number),
            why: why.to_owned(),
        }))
    };
    let position = row
        .get_ref(0)?
        .as_i64()
        .ok()
        .and_then(|number| u64::try_from(number).ok());
    if position != Some(number) {
        return fault("the entry is missing");
    }
    let text = |at: usize| match row.get_ref(at)? {
        ValueRef::Text(text) => Ok(std::str::from_utf8(text).ok().map(str::to_owned)),
        _ => Ok::<_, Error>(None),
    };
    let (Some(id), Some(entry), Some(hash)) = (text(1)?, text(2)?, text(3)?) else {
        return fault("the entry is not text");
    };
    let mut next = so_far.clone();
    next.follow(&entry);
    if next.hash != hash {
        return fault("the hash does not match the entry and those before it");
    }
    let Ok(entry) = serde_json::from_str::<Json>(&entry) else {
        return fault("the entry is not JSON");
    };
    let field = |pointer: &str| entry.pointer(pointer).and_then(Json::as_str);
    if entry.get("number").and_then(Json::as_u64) != Some(number) || field("/id") != Some(&id) {
        return fault("the entry is in the wrong position");
    }
    if let Some((artifact, details)) = recorded_artifact(&entry, number)
        && recorded.insert(artifact, details).is_some()
    {
        return fault("the entry records an artifact for the second time");
    }
    *so_far = next;
    Ok(None)
}

/// The artifact that an entry records as written, if any.
fn recorded_artifact(entry: &Json, number: u64) -> Option<(String, RecordedArtifact)> {
    let field = |pointer: &str| entry.pointer(pointer)?.as_str().map(str::to_owned);
    if field("/kind")?.parse() != Ok(AuditKind::MemoryWritten) {
        return None;
    }
    let place = (
        field("/session")?,
        entry.get("turn")?.as_i64()?,
        field("/what/type")?,
    );
    Some((
        field("/what/artifact")?,
        RecordedArtifact {
            entry: number,
            hash: field("/what/hash")?,
            place,
        },
    ))
}

/// Compares the memory with the audit: it must contain exactly the recorded artifacts, unchanged and in order.
fn memory_fault(view: &Connection, mut recorded: Recorded) -> Result<Option<AuditFault>, Error> {
    let select = "SELECT id, body, session, turn, kind FROM artifacts WHERE sequence IS NOT NULL ORDER BY sequence";
    let mut select = view.prepare(select)?;
    let mut rows = select.query([])?;
    let mut last = 0;
    while let Some(row) = rows.next()? {
        let (id, body): (String, String) = (row.get(0)?, row.get(1)?);
        let Some(written) = recorded.remove(&id) else {
            let why = format!("the artifact {id} in memory has no audit entry");
            return Ok(Some(AuditFault { entry: None, why }));
        };
        let fault = |what: &str| {
            Ok(Some(AuditFault {
                entry: Some(written.entry),
                why: format!("the artifact {id} {what}"),
            }))
        };
        if hash(&[&body]) != written.hash
            || (row.get(2)?, row.get(3)?, row.get(4)?) != written.place
        {
            return fault("was changed");
        }
        if written.entry < last {
            return fault("is in the wrong position");
        }
        last = written.entry;
    }
    Ok(recorded
        .into_iter()
        .min_by_key(|(_, written)| written.entry)
        .map(|(id, written)| AuditFault {
            entry: Some(written.entry),
            why: format!("the artifact {id} is missing"),
        }))
}
