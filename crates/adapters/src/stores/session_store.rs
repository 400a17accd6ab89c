//! The store of one session: its state after the last complete turn, and the current turn.

use rusqlite::{Connection, Error, OptionalExtension, Row, Transaction, TransactionBehavior};

use super::session_lock::SessionLock;
use super::session_name::SessionName;
use super::session_rows::{self, add_said, add_turn, begin_turn, clear, update};
use super::store_file::StoreFile;
use super::store_format::bound;
use super::stored_session::{StoredAnswer, StoredSession, StoredTurn};
use super::stored_tree::{Checkpoint, TreePlace, TreeRoot, TurnNode};
use crate::llm::{Speaker, Utterance};
use fsmsim_syntax::diagnostic::{Checked, Code, Diagnostic};

/// The store of one session, locked by this process. Each write is on disk when the method returns.
#[derive(Debug)]
pub struct SessionStore {
    file: StoreFile,
    name: SessionName,
    connection: Connection,
    _lock: SessionLock,
}

impl SessionStore {
    pub(super) fn new(
        file: StoreFile,
        name: SessionName,
        connection: Connection,
        lock: SessionLock,
    ) -> Self {
        Self {
            file,
            name,
            connection,
            _lock: lock,
        }
    }

    pub fn name(&self) -> &str {
        self.name.as_str()
    }

    /// The session, or `None` if it has not started.
    pub fn load(&mut self) -> Checked<Option<StoredSession>> {
        self.read(|view, name| {
            let select = "SELECT id, model, profile, given, start, permissive, twin, fingerprint, turns, saved, memory
                          FROM sessions WHERE name = ?1";
            view.query_row(select, [name], session_of).optional()
        })
    }

    /// The turn during which the session was interrupted, if any.
    pub fn interrupted(&mut self) -> Checked<Option<StoredTurn>> {
        self.read(|view, name| {
            let line = view.query_row("SELECT line FROM progress WHERE session = ?1", [name], |row| row.get(0));
            let Some(line) = line.optional()? else { return Ok(None) };
            let select =
                "SELECT need, effect, number, answer, memory FROM answers WHERE session = ?1 ORDER BY position";
            let answers = view.prepare(select)?.query_map([name], answer_of)?.collect::<Result<_, _>>()?;
            Ok(Some(StoredTurn { line, answers }))
        })
    }

    /// The utterances, in order.
    pub fn said(&mut self) -> Checked<Vec<Utterance>> {
        self.read(|view, name| {
            let select = "SELECT speaker, text FROM utterances WHERE session = ?1 ORDER BY number";
            let utterance = |row: &Row<'_>| {
                Ok(Utterance {
                    by: Speaker::of_name(row.get_ref(0)?.as_str()?),
                    text: row.get(1)?,
                })
            };
            view.prepare(select)?
                .query_map([name], utterance)?
                .collect()
        })
    }

    /// The complete turns as trace lines.
    pub fn records(&mut self) -> Checked<Vec<String>> {
        self.read(|view, name| {
            let select = "SELECT record FROM turns WHERE session = ?1 ORDER BY number";
            view.prepare(select)?
                .query_map([name], |row| row.get(0))?
                .collect()
        })
    }

    /// Starts a session. Replaces an earlier session with this name.
    ///
    /// # Errors
    /// Returns the finding if the store cannot be written. Nothing has changed then.
    pub fn begin(&mut self, session: &StoredSession, place: &TreePlace) -> Checked {
        self.write(|change, name| {
            clear(change, name)?;
            let insert = "INSERT INTO sessions (name, id, model, profile, given, start, permissive, twin, fingerprint,
                          turns, saved, memory) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)";
            let StoredSession { checkpoint, model, profile, given, start, permissive, twin, fingerprint, turns } = session;
            let Checkpoint { id, saved, memory } = checkpoint;
            let values: &[&dyn rusqlite::ToSql] =
                &[&name, id, model, profile, given, start, permissive, twin, fingerprint, turns, saved, memory];
            change.execute(insert, values)?;
            let root = TreeRoot { checkpoint: checkpoint.clone(), turns: *turns, ..TreeRoot::default() };
            session_rows::plant(change, name, &root, place)
        })
    }

    /// Deletes the session with all its data.
    ///
    /// # Errors
    /// Returns the finding if the store cannot be written. Nothing has changed then.
    pub fn delete(mut self) -> Checked {
        self.write(clear)
    }

    /// Starts a turn.
    ///
    /// # Errors
    /// Returns the finding if the store cannot be written. Nothing has changed then.
    pub fn begin_turn(&mut self, turn: u32, line: &str) -> Checked {
        self.write(|change, name| begin_turn(change, name, turn, line))
    }

    /// Adds answers in this order, in one transaction. The first answer to a need is kept.
    ///
    /// # Errors
    /// Returns the finding if the store cannot be written. Nothing has changed then.
    pub fn answer(&mut self, answers: &[StoredAnswer]) -> Checked {
        self.write(|change, name| {
            let insert =
                "INSERT INTO answers (session, need, effect, number, answer, memory, position)
                          SELECT ?1, ?2, ?3, ?4, ?5, ?6, count(*) FROM answers WHERE session = ?1
                          ON CONFLICT DO NOTHING";
            for StoredAnswer {
                need,
                effect,
                index,
                answer,
                memory,
            } in answers
            {
                change
                    .prepare_cached(insert)?
                    .execute((name, need, effect, index, answer, memory))?;
            }
            Ok(())
        })
    }

    /// Completes the current turn and updates the session, in one transaction. `said` is the number of earlier
    /// utterances, `place` the new position in the tree of turns.
    ///
    /// # Errors
    /// Returns the finding if the store cannot be written. Nothing has changed then, and the turn stays incomplete.
    pub fn end_turn(
        &mut self,
        session: &StoredSession,
        turn: &TurnNode,
        said: u32,
        place: &TreePlace,
    ) -> Checked {
        self.write(|change, name| {
            update(change, name, session)?;
            add_turn(change, name, session.turns, &turn.record)?;
            add_said(change, name, said, &turn.said)?;
            for table in ["progress", "answers"] {
                change
                    .prepare_cached(&format!("DELETE FROM {table} WHERE session = ?1"))?
                    .execute([name])?;
            }
            session_rows::add(change, name, turn)?;
            session_rows::keep_place(change, name, place)
        })
    }

    pub(super) fn read<T>(
        &mut self,
        act: impl FnOnce(&Transaction<'_>, &str) -> Result<T, Error>,
    ) -> Checked<T> {
        bound(&mut self.connection)
            .and_then(|()| {
                let view = self.connection.transaction()?;
                act(&view, self.name.as_str())
            })
            .map_err(|error| self.file.finding(&error).into())
    }

    pub(super) fn write(
        &mut self,
        act: impl FnOnce(&Transaction<'_>, &str) -> Result<(), Error>,
    ) -> Checked {
        // Writes to a deleted file would be lost silently.
        if !self.file.is_there() {
            let gone = "the file was deleted while the session was in use";
            return Err(self.file.unwritable(gone).into());
        }
        bound(&mut self.connection)
            .and_then(|()| {
                let change = self
                    .connection
                    .transaction_with_behavior(TransactionBehavior::Immediate)?;
                act(&change, self.name.as_str())?;
                change.commit()
            })
            .map_err(|error| self.file.finding(&error).into())
    }

    /// The finding about invalid data in the store.
    pub fn unusable(&self, what: &str) -> Diagnostic {
        Diagnostic::error(
            Code::OtherSession,
            format!("cannot resume the session `{}`: {what}", self.name()),
        )
        .about(self.file.shown())
    }
}

fn session_of(row: &Row<'_>) -> Result<StoredSession, Error> {
    let (id, model, profile, given, start, permissive, twin, fingerprint, turns, saved, memory) =
        row.try_into()?;
    Ok(StoredSession {
        checkpoint: Checkpoint { id, saved, memory },
        model,
        profile,
        given,
        start,
        permissive,
        twin,
        fingerprint,
        turns,
    })
}

fn answer_of(row: &Row<'_>) -> Result<StoredAnswer, Error> {
    let (need, effect, index, answer, memory) = row.try_into()?;
    Ok(StoredAnswer {
        need,
        effect,
        index,
        answer,
        memory,
    })
}
