//! A memory in SQLite that all tasks with the same file share.

use rusqlite::{Connection, Error, OptionalExtension, Row, TransactionBehavior};
use serde_json::Value as Json;

use super::artifact::{Artifact, ArtifactKind, Remembered};
use super::memory::{Memory, Recalled};
use super::memory_file::MemoryFile;
use super::recall_query::RecallQuery;
use crate::limits::{MAX_RECALLED, MAX_SAME_NAME};
use crate::stores::{EffectKey, SessionId};
use fsmsim_core::machine::Value;
use fsmsim_syntax::diagnostic::Checked;

/// A memory in SQLite that all tasks with the same file share. Each write is a separate transaction, and is on disk
/// before the answer is returned.
#[derive(Debug)]
pub struct SqliteMemory {
    file: MemoryFile,
    connection: Option<Connection>,
}

impl SqliteMemory {
    pub fn new(file: MemoryFile) -> Self {
        Self {
            file,
            connection: None,
        }
    }

    /// Runs an action on the database. After an error, the connection is discarded and the action runs once more,
    /// because the error may be temporary. For example, another process may have been interrupted during a write. All
    /// actions are idempotent by their keys.
    pub(super) fn with<T>(
        &mut self,
        act: impl Fn(&mut Connection) -> Result<T, Error>,
    ) -> Checked<T> {
        self.attempt(&act).or_else(|_| self.attempt(&act))
    }

    fn attempt<T>(&mut self, act: impl Fn(&mut Connection) -> Result<T, Error>) -> Checked<T> {
        // Writes to a deleted file would be lost silently.
        if !self.file.is_there() {
            return Err(self.file.gone().into());
        }
        let mut connection = self
            .connection
            .take()
            .map_or_else(|| self.file.connect(), Ok)?;
        let done = act(&mut connection).map_err(|error| self.file.finding(&error))?;
        self.connection = Some(connection);
        Ok(done)
    }

    /// A second memory with the same file.
    pub(super) fn again(&self) -> Self {
        Self::new(self.file.clone())
    }
}

impl Memory for SqliteMemory {
    fn begin(&mut self, wanted: &SessionId) -> Checked<SessionId> {
        self.with(|connection| {
            let change = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let mut id = wanted.clone();
            for _ in 0..MAX_SAME_NAME {
                let insert =
                    "INSERT INTO sessions (id, turn) VALUES (?1, 0) ON CONFLICT DO NOTHING";
                if change.prepare_cached(insert)?.execute([&*id.text()])? > 0 {
                    break;
                }
                id = id.next();
            }
            change.commit()?;
            Ok(id)
        })
    }

    fn recall(&mut self, key: &EffectKey<'_>, query: &RecallQuery) -> Recalled {
        let found = self.with(|connection| {
            // One transaction: the writes of a turn are visible either completely or not at all.
            let view = connection.transaction()?;
            let mut found = shared(&view, query)?;
            if query.own {
                found.extend(own(&view, &key.session.text())?);
            }
            Ok(found)
        });
        found.map_or(Recalled::Down, Recalled::Found)
    }

    fn remember(&mut self, key: &EffectKey<'_>, payload: &Value) -> Remembered {
        let artifact = match Artifact::of(key, payload) {
            Ok(artifact) => artifact,
            Err(why) => return Remembered::Refused(why),
        };
        let kind: &str = artifact.kind.into();
        let written = self.with(|connection| {
            let change = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let insert = "INSERT INTO artifacts (id, session, turn, task, kind, body) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
                          ON CONFLICT (id) DO NOTHING";
            let session = key.session.text();
            let values = (&artifact.id, &*session, key.turn, &artifact.task, kind, artifact.text());
            change.prepare_cached(insert)?.execute(values)?;
            let select = format!("SELECT {COLUMNS} FROM artifacts WHERE id = ?1");
            let kept = change.prepare_cached(&select)?.query_row([&artifact.id], artifact_of)?.kept();
            change.commit()?;
            Ok(kept)
        });
        written.unwrap_or(Remembered::Down)
    }

    fn fork(&self) -> Box<dyn Memory> {
        Box::new(self.again())
    }
}

/// Shared artifacts by their words: most matches first, then oldest first.
fn shared(view: &Connection, query: &RecallQuery) -> Result<Vec<Artifact>, Error> {
    if query.words.is_empty() || query.shared.is_empty() {
        return Ok(Vec::new());
    }
    // Each word is searched for separately, so that only the number of matches counts, not the frequency in other
    // artifacts.
    let of_word = "SELECT rowid AS found FROM artifact_words WHERE artifact_words MATCH ?";
    let of_words = vec![of_word; query.words.len()].join(" UNION ALL ");
    let kinds: Vec<String> = query
        .shared
        .iter()
        .map(|kind| format!("'{}'", <&str>::from(kind)))
        .collect();
    let select = format!(
        "SELECT {COLUMNS} FROM ({of_words}) JOIN artifacts ON sequence = found
         WHERE kind IN ({}) GROUP BY sequence ORDER BY count(*) DESC, sequence LIMIT {MAX_RECALLED}",
        kinds.join(", ")
    );
    // A stem contains only letters and digits, so it cannot be a search operator.
    let words = query.words.iter().map(|word| format!("\"{word}\""));
    view.prepare_cached(&select)?
        .query_map(rusqlite::params_from_iter(words), artifact_of)?
        .collect()
}

/// The latest artifacts of the session itself, oldest first.
fn own(view: &Connection, session: &str) -> Result<Vec<Artifact>, Error> {
    let select = format!(
        "SELECT * FROM (SELECT {COLUMNS}, sequence FROM artifacts
         WHERE session = ?1 AND kind = 'episodic' AND sequence IS NOT NULL ORDER BY sequence DESC LIMIT {MAX_RECALLED})
         ORDER BY sequence"
    );
    view.prepare_cached(&select)?
        .query_map([session], artifact_of)?
        .collect()
}

/// The columns of an artifact.
const COLUMNS: &str = "artifacts.id, artifacts.kind, artifacts.task, artifacts.body";

/// The artifact from a row that starts with these columns. An unreadable body becomes null.
pub(super) fn artifact_of(row: &Row<'_>) -> Result<Artifact, Error> {
    let (kind, body): (String, String) = (row.get(1)?, row.get(3)?);
    Ok(Artifact {
        id: row.get(0)?,
        kind: kind.parse().unwrap_or(ArtifactKind::Episodic),
        task: row.get(2)?,
        body: serde_json::from_str(&body).unwrap_or(Json::Null),
    })
}

/// The artifact with an ID, and the session and turn that wrote it. Returns `None` if no complete turn wrote it.
pub(super) fn artifact(
    view: &Connection,
    id: &str,
) -> Result<Option<(Artifact, String, u32)>, Error> {
    let select = format!(
        "SELECT {COLUMNS}, session, turn FROM artifacts WHERE id = ?1 AND sequence IS NOT NULL"
    );
    let row = |row: &Row<'_>| Ok((artifact_of(row)?, row.get(4)?, row.get(5)?));
    view.query_row(&select, [id], row).optional()
}
