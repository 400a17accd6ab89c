//! A memory in SQLite, which all tasks share that name its file.

use rusqlite::{Connection, Error, OptionalExtension, Row, TransactionBehavior};
use serde_json::Value as Json;

use super::artifact::{Artifact, ArtifactKind, Remembered};
use super::memory::{Memory, Recalled};
use super::memory_file::MemoryFile;
use super::recall_query::RecallQuery;
use crate::limits::{MAX_RECALLED, MAX_SAME_NAME};
use crate::world::{EffectKey, SessionId};
use fsmsim_core::machine::Value;
use fsmsim_syntax::diagnostic::Checked;

/// A memory in SQLite, which all tasks share that name its file. Each write is a transaction of its own, and is on the disk when
/// it is answered.
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

    /// Does something with the database. A connection on which something went wrong is not used again; what went wrong may have
    /// been of that moment, as where others were stopped while they wrote, so it is tried once more. Whatever is done here is done
    /// by its key, so that twice is once.
    pub(super) fn with<T>(
        &mut self,
        act: impl Fn(&mut Connection) -> Result<T, Error>,
    ) -> Checked<T> {
        self.attempt(&act).or_else(|_| self.attempt(&act))
    }

    fn attempt<T>(&mut self, act: impl Fn(&mut Connection) -> Result<T, Error>) -> Checked<T> {
        // What is written to a file that was removed would be lost without a word.
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

    /// The same file.
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
            // All as of one moment: of a turn that wrote several things, all or nothing is there.
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

/// Shared artifacts by their words: those with most of them first, of equals the older one.
fn shared(view: &Connection, query: &RecallQuery) -> Result<Vec<Artifact>, Error> {
    if query.words.is_empty() || query.shared.is_empty() {
        return Ok(Vec::new());
    }
    // Each word is looked for alone, so that what counts is how many are found, and not what stands in other artifacts.
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
    // A stem has letters and digits alone, so nothing in it is an operator.
    let words = query.words.iter().map(|word| format!("\"{word}\""));
    view.prepare_cached(&select)?
        .query_map(rusqlite::params_from_iter(words), artifact_of)?
        .collect()
}

/// What a session remembered itself, the older first: the latest of it.
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

/// What of an artifact is read.
const COLUMNS: &str = "artifacts.id, artifacts.kind, artifacts.task, artifacts.body";

/// An artifact of a row that begins with those columns. What somebody has made unreadable holds nothing.
pub(super) fn artifact_of(row: &Row<'_>) -> Result<Artifact, Error> {
    let (kind, body): (String, String) = (row.get(1)?, row.get(3)?);
    Ok(Artifact {
        id: row.get(0)?,
        kind: kind.parse().unwrap_or(ArtifactKind::Episodic),
        task: row.get(2)?,
        body: serde_json::from_str(&body).unwrap_or(Json::Null),
    })
}

/// The artifact of an id, with the session and the turn that wrote it; nothing where no turn that is whole did.
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
