//! Whether an audit is whole, and memory as it tells.

use std::collections::BTreeMap;

use rusqlite::types::ValueRef;
use rusqlite::{Connection, Error, Row};
use serde_json::Value as Json;

use super::audit_entry::{AuditKind, ChainHead};
use super::canonical::hash;
use super::memory_file::MemoryFile;
use super::sqlite_audit::head;
use fsmsim_syntax::diagnostic::Checked;

/// Whether an audit is whole, and the memory beside it is as it tells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditCheck {
    /// How far the chain goes, as far as it is whole.
    pub head: ChainHead,
    /// Artifacts of which it tells.
    pub artifacts: usize,
    /// The first thing that is wrong.
    pub fault: Option<AuditFault>,
}

/// What is wrong with an audit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditFault {
    /// The number of the entry where it shows, where it is one.
    pub entry: Option<u64>,
    /// What is wrong, in words.
    pub why: String,
}

/// The artifacts of which entries tell.
type Told = BTreeMap<String, ToldArtifact>;

/// An artifact as an entry tells of it.
struct ToldArtifact {
    /// The number of the entry.
    entry: u64,
    hash: String,
    /// The session and the turn that wrote it, and its kind.
    place: (String, i64, String),
}

impl AuditCheck {
    /// Walks the chain of a file.
    pub fn of(file: &MemoryFile) -> Checked<Self> {
        let mut connection = file.look_into()?;
        // All as of one moment, whoever writes meanwhile.
        let checked = connection.transaction().and_then(|view| Self::walk(&view));
        checked.map_err(|error| file.finding(&error).into())
    }

    fn walk(view: &Connection) -> Result<Self, Error> {
        let mut so_far = ChainHead::default();
        let mut told = Told::new();
        let mut select =
            view.prepare("SELECT number, id, entry, hash FROM audit ORDER BY number")?;
        let mut rows = select.query([])?;
        let mut fault = None;
        while let Some(row) = rows.next()? {
            fault = follow(&mut so_far, &mut told, row)?;
            if fault.is_some() {
                break;
            }
        }
        let artifacts = told.len();
        if fault.is_none() && head(view)? != so_far {
            let entry = Some(so_far.entries.saturating_add(1));
            fault = Some(AuditFault {
                entry,
                why: format!(
                    "it ends behind entry {} and not where it was written to",
                    so_far.entries
                ),
            });
        }
        if fault.is_none() {
            fault = memory_fault(view, told)?;
        }
        Ok(Self {
            head: so_far,
            artifacts,
            fault,
        })
    }
}

/// Goes on by an entry; what is wrong with it, where something is.
fn follow(
    so_far: &mut ChainHead,
    told: &mut Told,
    row: &Row<'_>,
) -> Result<Option<AuditFault>, Error> {
    let number = so_far.entries.saturating_add(1);
    let fault = |why: &str| {
        Ok(Some(AuditFault {
            entry: Some(number),
            why: why.to_owned(),
        }))
    };
    let stands = row
        .get_ref(0)?
        .as_i64()
        .ok()
        .and_then(|number| u64::try_from(number).ok());
    if stands != Some(number) {
        return fault("it is missing");
    }
    let text = |at: usize| match row.get_ref(at)? {
        ValueRef::Text(text) => Ok(std::str::from_utf8(text).ok().map(str::to_owned)),
        _ => Ok::<_, Error>(None),
    };
    let (Some(id), Some(entry), Some(hash)) = (text(1)?, text(2)?, text(3)?) else {
        return fault("it is no text");
    };
    let mut next = so_far.clone();
    next.follow(&entry);
    if next.hash != hash {
        return fault("its hash is not that of its text and of what stands before it");
    }
    let Ok(entry) = serde_json::from_str::<Json>(&entry) else {
        return fault("it is no entry");
    };
    let field = |pointer: &str| entry.pointer(pointer).and_then(Json::as_str);
    if entry.get("number").and_then(Json::as_u64) != Some(number) || field("/id") != Some(&id) {
        return fault("it stands where another one belongs");
    }
    if let Some((artifact, of_entry)) = told_of(&entry, number)
        && told.insert(artifact, of_entry).is_some()
    {
        return fault("it tells of an artifact that was written before");
    }
    *so_far = next;
    Ok(None)
}

/// The artifact that was written by what an entry tells of, where one was.
fn told_of(entry: &Json, number: u64) -> Option<(String, ToldArtifact)> {
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
        ToldArtifact {
            entry: number,
            hash: field("/what/hash")?,
            place,
        },
    ))
}

/// What of memory is not as the audit tells: each artifact is there as it was written, in that order, and no other one.
fn memory_fault(view: &Connection, mut told: Told) -> Result<Option<AuditFault>, Error> {
    let select = "SELECT id, body, session, turn, kind FROM artifacts WHERE sequence IS NOT NULL ORDER BY sequence";
    let mut select = view.prepare(select)?;
    let mut rows = select.query([])?;
    let mut last = 0;
    while let Some(row) = rows.next()? {
        let (id, body): (String, String) = (row.get(0)?, row.get(1)?);
        let Some(written) = told.remove(&id) else {
            let why = format!("the artifact {id} is in memory, and no entry tells of it");
            return Ok(Some(AuditFault { entry: None, why }));
        };
        let fault = |what: &str| {
            Ok(Some(AuditFault {
                entry: Some(written.entry),
                why: format!("the artifact {id} is not {what}"),
            }))
        };
        if hash(&[&body]) != written.hash
            || (row.get(2)?, row.get(3)?, row.get(4)?) != written.place
        {
            return fault("as it was written");
        }
        if written.entry < last {
            return fault("where it was written");
        }
        last = written.entry;
    }
    let gone = told.into_iter().min_by_key(|(_, written)| written.entry);
    Ok(gone.map(|(id, written)| AuditFault {
        entry: Some(written.entry),
        why: format!("the artifact {id} is gone"),
    }))
}
