//! An audit in SQLite. It uses the same file as the memory, so that artifacts and their entries are written in one
//! transaction.

use rusqlite::{Connection, Error, OptionalExtension, Transaction, TransactionBehavior};
use serde_json::Value as Json;

use super::artifact::{Artifact, ArtifactKind};
use super::audit::Audit;
use super::audit_entry::{AuditEntry, AuditKind, AuditedTurn, ChainHead};
use super::memory_file::MemoryFile;
use super::sqlite_memory::{SqliteMemory, artifact_of};
use fsmsim_core::machine::Stems;
use fsmsim_syntax::diagnostic::Checked;

/// An audit in the same SQLite file as a memory.
#[derive(Debug)]
pub struct SqliteAudit {
    store: SqliteMemory,
}

impl SqliteAudit {
    pub fn new(file: MemoryFile) -> Self {
        Self {
            store: SqliteMemory::new(file),
        }
    }

    /// Whether a dialogue has started in the memory.
    pub fn knows(&mut self, session: &str) -> Checked<bool> {
        let select = "SELECT EXISTS (SELECT 1 FROM sessions WHERE id = ?1)";
        self.store
            .with(|connection| connection.query_row(select, [session], |row| row.get(0)))
    }

    /// Whether a task with this ID was ever submitted.
    pub fn is_submitted(&mut self, task: &str) -> Checked<bool> {
        let select = "SELECT EXISTS (SELECT 1 FROM audit WHERE submitted = ?1)";
        self.store
            .with(|connection| connection.query_row(select, [task], |row| row.get(0)))
    }

    /// At most `most` entries after entry number `after`, optionally only those of one task.
    pub fn entries(&mut self, task: Option<&str>, after: u64, most: u32) -> Checked<Vec<Json>> {
        let after = i64::try_from(after).unwrap_or(i64::MAX);
        let select = "SELECT entry FROM audit WHERE number > ?1
                      AND (?2 IS NULL OR json_extract(entry, '$.task') = ?2) ORDER BY number LIMIT ?3";
        self.store.with(|connection| {
            let mut select = connection.prepare(select)?;
            select
                .query_map((after, task, most), |row| row.get::<_, String>(0))?
                .map(|entry| Ok(serde_json::from_str(&entry?).unwrap_or(Json::Null)))
                .collect()
        })
    }
}

impl Audit for SqliteAudit {
    fn append(&mut self, turn: &AuditedTurn) -> Checked {
        self.store.with(|connection| {
            let change = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            if last_turn(&change, &turn.session)? < turn.turn {
                take(&change, turn)?;
            }
            change.commit()
        })
    }

    fn last_turn(&mut self, session: &str) -> Checked<u32> {
        self.store.with(|connection| last_turn(connection, session))
    }

    fn head(&mut self) -> Checked<ChainHead> {
        self.store.with(|connection| head(connection))
    }
}

fn last_turn(view: &Connection, session: &str) -> Result<u32, Error> {
    let select = "SELECT turn FROM sessions WHERE id = ?1";
    Ok(view
        .prepare_cached(select)?
        .query_row([session], |row| row.get(0))
        .optional()?
        .unwrap_or(0))
}

/// The end of the chain, as stored with the last write.
pub(super) fn head(view: &Connection) -> Result<ChainHead, Error> {
    let select = "SELECT entries, hash FROM chain";
    Ok(view
        .query_row(select, [], |row| {
            let entries: i64 = row.get(0)?;
            Ok(ChainHead {
                entries: u64::try_from(entries).unwrap_or(0),
                hash: row.get(1)?,
            })
        })
        .optional()?
        .unwrap_or_default())
}

/// Appends a turn: adds its entries to the chain, and publishes its artifacts.
fn take(change: &Transaction<'_>, turn: &AuditedTurn) -> Result<(), Error> {
    let mut head = head(change)?;
    let insert = "INSERT INTO audit (number, id, entry, hash) VALUES (?1, ?2, ?3, ?4)";
    let before = head.entries;
    for (entry, number) in head.link(turn).into_iter().zip(before.saturating_add(1)..) {
        let number = i64::try_from(number).unwrap_or(i64::MAX);
        change
            .prepare_cached(insert)?
            .execute((number, entry.id, entry.text, entry.hash))?;
    }
    let entries = i64::try_from(head.entries).unwrap_or(i64::MAX);
    let update = "INSERT INTO chain (name, entries, hash) VALUES ('audit', ?1, ?2)
                  ON CONFLICT (name) DO UPDATE SET entries = excluded.entries, hash = excluded.hash";
    change
        .prepare_cached(update)?
        .execute((entries, head.hash))?;
    for id in turn.entries.iter().filter_map(AuditEntry::written) {
        publish(change, turn, id)?;
    }
    // Delete artifacts whose write failed.
    let delete = "DELETE FROM artifacts WHERE session = ?1 AND turn <= ?2 AND sequence IS NULL";
    change
        .prepare_cached(delete)?
        .execute((&turn.session, turn.turn))?;
    let update = "INSERT INTO sessions (id, turn) VALUES (?1, ?2) ON CONFLICT (id) DO UPDATE SET turn = excluded.turn";
    change
        .prepare_cached(update)?
        .execute((&turn.session, turn.turn))
        .map(|_| ())
}

impl AuditEntry {
    /// The ID of the written artifact, if any.
    fn written(&self) -> Option<&str> {
        (self.kind == AuditKind::MemoryWritten).then(|| self.what.get("artifact")?.as_str())?
    }
}

/// Publishes an artifact with its sources. Artifacts are ordered by publication.
fn publish(change: &Transaction<'_>, turn: &AuditedTurn, id: &str) -> Result<(), Error> {
    let update =
        "UPDATE artifacts SET sequence = (SELECT coalesce(max(sequence), 0) + 1 FROM artifacts)
                  WHERE id = ?1 AND sequence IS NULL RETURNING id, kind, task, body, sequence";
    let row = |row: &rusqlite::Row<'_>| Ok((artifact_of(row)?, row.get::<_, i64>(4)?));
    let Some((artifact, sequence)) = change
        .prepare_cached(update)?
        .query_row([id], row)
        .optional()?
    else {
        return Ok(());
    };
    let sources = sources(change, turn)?;
    if artifact.kind.is_shared() {
        let task = sources.iter().find(|source| source.relation == "task");
        let about = task
            .and_then(|task| task.entry.pointer("/what/description")?.as_str())
            .unwrap_or_default();
        let insert = "INSERT INTO artifact_words (rowid, stems) VALUES (?1, ?2)";
        change
            .prepare_cached(insert)?
            .execute((sequence, words(&artifact, about)))?;
    }
    let insert = "INSERT INTO relations (artifact, relation, entry) VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING";
    for Source {
        relation,
        id: entry,
        ..
    } in &sources
    {
        change
            .prepare_cached(insert)?
            .execute((id, relation, entry))?;
    }
    Ok(())
}

/// The words for searches, from the artifact and from its task.
fn words(artifact: &Artifact, about: &str) -> String {
    let stems = Stems::default();
    let words: Vec<String> = stems
        .of(&artifact.words())
        .union(&stems.of(about))
        .cloned()
        .collect();
    words.join(" ")
}

/// An audit entry that is a source of an artifact.
struct Source {
    relation: &'static str,
    id: String,
    entry: Json,
}

/// The sources of an artifact: the valid entries of its session. A new plan replaces the results of the previous one.
fn sources(view: &Connection, turn: &AuditedTurn) -> Result<Vec<Source>, Error> {
    let select = "SELECT id, entry FROM audit WHERE session = ?1 ORDER BY number";
    let mut select = view.prepare_cached(select)?;
    let mut rows = select.query([&turn.session])?;
    let mut sources: Vec<Source> = Vec::new();
    while let Some(row) = rows.next()? {
        let entry: Json = serde_json::from_str(&row.get::<_, String>(1)?).unwrap_or(Json::Null);
        let what = |pointer: &str| entry.pointer(pointer);
        let kind = what("/kind")
            .and_then(Json::as_str)
            .and_then(|kind| kind.parse().ok());
        let relation = match kind {
            Some(AuditKind::TaskSubmitted) => "task",
            Some(AuditKind::MemoryRead) if found_shared(&entry) => "knew",
            Some(AuditKind::PhaseLeft) if what("/what/plan").is_some() => {
                sources.retain(|source| !["plan", "tests", "report"].contains(&source.relation));
                "plan"
            }
            Some(AuditKind::ActionDone) if what("/what/tests") == Some(&Json::Bool(true)) => {
                "tests"
            }
            Some(AuditKind::Verdict) => {
                sources.retain(|source| source.relation != "report");
                "report"
            }
            _ => continue,
        };
        sources.push(Source {
            relation,
            id: row.get(0)?,
            entry,
        });
    }
    Ok(sources)
}

/// Whether an entry records that shared knowledge was found. A task's own memory does not count.
fn found_shared(entry: &Json) -> bool {
    let list = |pointer: &str| {
        entry
            .pointer(pointer)
            .and_then(Json::as_array)
            .into_iter()
            .flatten()
    };
    let is_shared = |kind: &Json| {
        kind.as_str()
            .and_then(|kind| kind.parse().ok())
            .is_some_and(ArtifactKind::is_shared)
    };
    list("/what/kinds").any(is_shared) && list("/what/found").next().is_some()
}
