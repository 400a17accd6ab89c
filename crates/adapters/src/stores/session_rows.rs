//! Writes the rows of a session.

use rusqlite::{Error, Transaction};

use super::stored_session::StoredSession;
use super::stored_tree::{Checkpoint, TreePlace, TreeRoot, TurnNode};
use crate::llm::{Speaker, Utterance};

/// Updates the row of a session.
pub(super) fn update(
    change: &Transaction<'_>,
    name: &str,
    session: &StoredSession,
) -> Result<(), Error> {
    let StoredSession {
        checkpoint: Checkpoint { id, saved, memory },
        model,
        fingerprint,
        turns,
        ..
    } = session;
    let update = "UPDATE sessions SET id = ?2, model = ?3, fingerprint = ?4, turns = ?5, saved = ?6, memory = ?7
                  WHERE name = ?1";
    let updated = change.prepare_cached(update)?.execute((
        name,
        id,
        model,
        fingerprint,
        turns,
        saved,
        memory,
    ))?;
    // No other process can use the session, but someone might have deleted it from the file.
    if updated == 0 {
        Err(Error::StatementChangedRows(updated))
    } else {
        Ok(())
    }
}

/// Stores or replaces the line of the current turn.
pub(super) fn begin_turn(
    change: &Transaction<'_>,
    name: &str,
    turn: u32,
    line: &str,
) -> Result<(), Error> {
    let insert = "INSERT INTO progress (session, turn, line) VALUES (?1, ?2, ?3)
                  ON CONFLICT (session) DO UPDATE SET turn = ?2, line = ?3";
    change
        .prepare_cached(insert)?
        .execute((name, turn, line))
        .map(|_| ())
}

/// Adds a turn.
pub(super) fn add_turn(
    change: &Transaction<'_>,
    name: &str,
    number: u32,
    record: &str,
) -> Result<(), Error> {
    let insert = "INSERT INTO turns (session, number, record) VALUES (?1, ?2, ?3)";
    change
        .prepare_cached(insert)?
        .execute((name, number, record))
        .map(|_| ())
}

/// Adds utterances after the first `before` ones.
pub(super) fn add_said(
    change: &Transaction<'_>,
    name: &str,
    before: u32,
    said: &[Utterance],
) -> Result<(), Error> {
    let insert = "INSERT INTO utterances (session, number, speaker, text) VALUES (?1, ?2, ?3, ?4)";
    for (number, Utterance { by, text }) in (before..).zip(said) {
        change
            .prepare_cached(insert)?
            .execute((name, number, by.name(), text))?;
    }
    Ok(())
}

/// The tables for the path to the current turn, and for an incomplete turn.
pub(super) const PATH: [&str; 4] = ["turns", "utterances", "progress", "answers"];
/// The tables for the tree of turns.
const TREE: [&str; 3] = ["moments", "branches", "trees"];

/// Deletes the rows of a session from tables.
pub(super) fn clear_tables(
    change: &Transaction<'_>,
    name: &str,
    tables: &[&str],
) -> Result<(), Error> {
    for table in tables {
        change.execute(&format!("DELETE FROM {table} WHERE session = ?1"), [name])?;
    }
    Ok(())
}

/// Deletes all rows of a session.
pub(super) fn clear(change: &Transaction<'_>, name: &str) -> Result<(), Error> {
    clear_tables(change, name, &PATH)?;
    clear_tables(change, name, &TREE)?;
    change
        .execute("DELETE FROM sessions WHERE name = ?1", [name])
        .map(|_| ())
}

/// Adds a turn to the tree.
pub(super) fn add(change: &Transaction<'_>, name: &str, moment: &TurnNode) -> Result<(), Error> {
    let TurnNode {
        before,
        line,
        record,
        said,
        checkpoint: Checkpoint { id, saved, memory },
    } = moment;
    let said = said_as_json(said);
    let insert = "INSERT INTO moments (session, number, before, line, record, said, id, saved, memory)
                  SELECT ?1, count(*) + 1, ?2, ?3, ?4, ?5, ?6, ?7, ?8 FROM moments WHERE session = ?1";
    let values: &[&dyn rusqlite::ToSql] = &[&name, before, line, record, &said, id, saved, memory];
    change.prepare_cached(insert)?.execute(values).map(|_| ())
}

/// The utterances of a turn as JSON: pairs of speaker and text.
fn said_as_json(said: &[Utterance]) -> String {
    let pairs: Vec<(Speaker, &str)> = said.iter().map(|said| (said.by, &*said.text)).collect();
    serde_json::to_string(&pairs).unwrap_or_default()
}

/// Parses the utterances of a turn. Returns `None` if they are unreadable.
pub(super) fn said_of_json(said: &str) -> Option<Vec<Utterance>> {
    let pairs: Vec<(Speaker, Box<str>)> = serde_json::from_str(said).ok()?;
    Some(
        pairs
            .into_iter()
            .map(|(by, text)| Utterance { by, text })
            .collect(),
    )
}

/// Replaces the tree with a new one.
pub(super) fn plant(
    change: &Transaction<'_>,
    name: &str,
    root: &TreeRoot,
    place: &TreePlace,
) -> Result<(), Error> {
    clear_tables(change, name, &TREE)?;
    let Checkpoint { id, saved, memory } = &root.checkpoint;
    let said = u32::try_from(root.said.len()).unwrap_or(u32::MAX);
    let insert = "INSERT INTO trees (session, branch, moment, turns, said, id, saved, memory)
                  VALUES (?1, '', 0, ?2, ?3, ?4, ?5, ?6)";
    change.execute(insert, (name, root.turns, said, id, saved, memory))?;
    keep_place(change, name, place)
}

pub(super) fn keep_place(
    change: &Transaction<'_>,
    name: &str,
    place: &TreePlace,
) -> Result<(), Error> {
    let update = "UPDATE trees SET branch = ?2, moment = ?3 WHERE session = ?1";
    change
        .prepare_cached(update)?
        .execute((name, &place.branch, place.moment))?;
    let replace = "INSERT INTO branches (session, position, name, tip) VALUES (?1, ?2, ?3, ?4)
                   ON CONFLICT (session, position) DO UPDATE SET name = excluded.name, tip = excluded.tip
                   WHERE name <> excluded.name OR tip <> excluded.tip";
    for (position, branch) in (0_u32..).zip(&place.branches) {
        change
            .prepare_cached(replace)?
            .execute((name, position, &branch.name, branch.tip))?;
    }
    Ok(())
}
