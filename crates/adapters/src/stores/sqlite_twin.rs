//! A digital twin in SQLite, for dialogues whose data is saved.

use rusqlite::{Connection, Error, OptionalExtension, Transaction, TransactionBehavior};
use serde_json::Value as Json;

use super::effect_key::EffectKey;
use super::memory_twin::found;
use super::twin::{ReadOutcome, Twin, WriteOutcome};
use super::twin_file::{StoreError, TwinFile, document};
use fsmsim_core::machine::{Schema, Value};
use fsmsim_syntax::document::DEFINITION_LIMIT;

/// The data of one user in a database. A database that is locked, deleted or damaged does not respond. Each access
/// tries again.
#[derive(Debug)]
pub struct SqliteTwin {
    file: TwinFile,
    user: Box<str>,
    connection: Option<Connection>,
}

impl SqliteTwin {
    pub fn new(file: TwinFile, user: &str) -> Self {
        Self {
            file,
            user: user.into(),
            connection: None,
        }
    }

    /// Runs an action on the database. The connection is discarded after an error, or if it is read-only.
    fn with<T>(
        &mut self,
        act: impl FnOnce(&mut Connection, &str) -> Result<T, Error>,
    ) -> Result<T, StoreError> {
        // Writes to a deleted file would be lost silently.
        let mut connection = self
            .connection
            .take()
            .filter(|_| self.file.is_there())
            .map_or_else(|| self.file.connect(), Ok)?;
        let done = act(&mut connection, &self.user)?;
        self.connection =
            Some(connection).filter(|connection| connection.is_readonly("main") == Ok(false));
        Ok(done)
    }
}

impl Twin for SqliteTwin {
    fn read(&mut self, keys: &[&str]) -> ReadOutcome {
        let most = i64::try_from(DEFINITION_LIMIT).unwrap_or(i64::MAX);
        let read = self.with(|connection, user| {
            // One transaction, so that all values are from the same time.
            let view = connection.transaction()?;
            let mut select = view.prepare_cached(
                "SELECT CASE WHEN octet_length(value) <= ?3 THEN value END FROM documents WHERE user = ?1 AND key = ?2",
            )?;
            let mut of = |key: &str| select.query_row((user, key, most), document).optional();
            keys.iter().map(|key| Ok((*key, of(key)?))).collect::<Result<Vec<(&str, Option<Option<Json>>)>, Error>>()
        });
        read.map_or(ReadOutcome::Down, |documents| found(documents.into_iter()))
    }

    fn write(&mut self, key: &EffectKey<'_>, schema: &Schema, value: &Value) -> WriteOutcome {
        let text = |value: &Value| serde_json::to_string(value).unwrap_or_default();
        let written = self.with(|connection, user| {
            let change = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            if is_first(&change, key)? {
                change
                    .prepare_cached(
                        "INSERT INTO documents (user, key, value, schema) VALUES (?1, ?2, ?3, ?4)
                         ON CONFLICT (user, key) DO UPDATE SET value = excluded.value, schema = excluded.schema",
                    )?
                    .execute((user, &*schema.name, text(value), text(&schema.text)))?;
            }
            change.commit()
        });
        if written.is_ok() {
            WriteOutcome::Kept
        } else {
            WriteOutcome::Down
        }
    }

    fn fork(&self) -> Box<dyn Twin> {
        Box::new(Self::new(self.file.clone(), &self.user))
    }
}

/// Records the key. Returns whether it is new.
fn is_first(change: &Transaction<'_>, key: &EffectKey<'_>) -> Result<bool, Error> {
    let session = key.session.text();
    change
        .prepare_cached("DELETE FROM effects WHERE session = ?1 AND turn <> ?2")?
        .execute((&*session, key.turn))?;
    let added = change
        .prepare_cached(
            "INSERT INTO effects (session, turn, effect, number) VALUES (?1, ?2, ?3, ?4) ON CONFLICT DO NOTHING",
        )?
        .execute((&*session, key.turn, key.effect, key.index))?;
    Ok(added > 0)
}
