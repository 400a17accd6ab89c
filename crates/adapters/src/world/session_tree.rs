//! What the store of a session does with the tree of its turns, and with what was typed.

use rusqlite::{Error, OptionalExtension, Row};

use super::session_rows::{
    add, add_said, add_turn, begin_turn, clear_path, keep_place, plant, update,
};
use super::session_store::SessionStore;
use super::stored_session::{StoredSession, StoredUtterance};
use super::stored_tree::{StoredMoment, StoredPlace, StoredRoot, StoredTree, TypedLine};
use fsmsim_syntax::diagnostic::Checked;

/// A path from the beginning to where the session is, as all of it stands in the store.
#[derive(Clone, Copy, Debug)]
pub struct StoredPath<'p> {
    /// Its turns as lines of a trace.
    pub records: &'p [String],
    /// What was said on it.
    pub said: &'p [StoredUtterance],
}

impl SessionStore {
    /// The tree of the turns; nothing where an earlier version has played them all.
    pub fn tree(&mut self) -> Checked<Option<StoredTree>> {
        self.read(|view, name| {
            let select = "SELECT branch, moment, turns, said, id, saved, memory FROM trees WHERE session = ?1";
            let Some((mut place, root)) = view.query_row(select, [name], tree_of).optional()? else { return Ok(None) };
            let select = "SELECT name, tip FROM branches WHERE session = ?1 ORDER BY position";
            let branch = |row: &Row<'_>| Ok((row.get(0)?, row.get(1)?));
            place.branches = view.prepare(select)?.query_map([name], branch)?.collect::<Result<_, _>>()?;
            let select = "SELECT before, line, record, said, id, saved, memory FROM moments WHERE session = ?1
                          ORDER BY number";
            let moments = view.prepare(select)?.query_map([name], moment_of)?.collect::<Result<_, _>>()?;
            Ok(Some(StoredTree { root, place, moments }))
        })
    }

    /// The tree begins where the session is.
    ///
    /// # Errors
    /// The finding about a store that cannot be written; nothing has changed then.
    pub fn plant(&mut self, root: &StoredRoot, place: &StoredPlace) -> Checked {
        self.write(|change, name| plant(change, name, root, place))
    }

    /// The session is elsewhere in the tree of its turns, which may have grown, and as it was there, with a turn that has
    /// begun: all of that at once.
    ///
    /// # Errors
    /// The finding about a store that cannot be written; nothing has changed then.
    pub fn travel(
        &mut self,
        session: &StoredSession,
        place: &StoredPlace,
        path: StoredPath<'_>,
        grown: &[StoredMoment],
        begun: Option<(u32, &str)>,
    ) -> Checked {
        self.write(|change, name| {
            update(change, name, session)?;
            clear_path(change, name)?;
            for (number, record) in (1..).zip(path.records) {
                add_turn(change, name, number, record)?;
            }
            add_said(change, name, 0, path.said)?;
            grown
                .iter()
                .try_for_each(|moment| add(change, name, moment))?;
            if let Some((turn, line)) = begun {
                begin_turn(change, name, turn, line)?;
            }
            keep_place(change, name, place)
        })
    }

    /// Somebody typed a line.
    pub fn note_line(&mut self, line: &str) -> Checked {
        self.write(|change, name| {
            let insert = "INSERT INTO lines (session, line) VALUES (?1, ?2)";
            change
                .prepare_cached(insert)?
                .execute((name, line))
                .map(|_| ())
        })
    }

    /// The last lines that were typed in any session of the file, in the order in which they were.
    pub fn lines(&mut self, most: u32) -> Checked<Vec<TypedLine>> {
        let mut lines = self.read(|view, _| {
            let select = "SELECT session, line FROM lines ORDER BY number DESC LIMIT ?1";
            let line = |row: &Row<'_>| {
                Ok(TypedLine {
                    session: row.get(0)?,
                    line: row.get(1)?,
                })
            };
            view.prepare(select)?
                .query_map([most], line)?
                .collect::<Result<Vec<_>, _>>()
        })?;
        lines.reverse();
        Ok(lines)
    }
}

fn tree_of(row: &Row<'_>) -> Result<(StoredPlace, StoredRoot), Error> {
    let place = StoredPlace {
        branch: row.get(0)?,
        moment: row.get(1)?,
        branches: Vec::new(),
    };
    let root = StoredRoot {
        turns: row.get(2)?,
        said: row.get(3)?,
        id: row.get(4)?,
        saved: row.get(5)?,
        memory: row.get(6)?,
    };
    Ok((place, root))
}

fn moment_of(row: &Row<'_>) -> Result<StoredMoment, Error> {
    Ok(StoredMoment {
        before: row.get(0)?,
        line: row.get(1)?,
        record: row.get(2)?,
        said: row.get(3)?,
        id: row.get(4)?,
        saved: row.get(5)?,
        memory: row.get(6)?,
    })
}
