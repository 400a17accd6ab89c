//! Stores the tree of turns of a session, and the entered lines.

use rusqlite::{Error, OptionalExtension, Row};

use super::session_rows::{
    PATH, add, add_said, add_turn, begin_turn, clear_tables, keep_place, plant, said_of_json,
    update,
};
use super::session_store::SessionStore;
use super::stored_session::StoredSession;
use super::stored_tree::{Checkpoint, TreePlace, TreeRoot, TurnBranch, TurnNode, TypedLine};
use crate::llm::Utterance;
use fsmsim_syntax::diagnostic::Checked;

/// The complete path from the start to the current turn.
#[derive(Clone, Copy, Debug)]
pub struct StoredPath<'p> {
    /// The turns as trace lines.
    pub records: &'p [String],
    /// The utterances.
    pub said: &'p [Utterance],
}

impl SessionStore {
    /// The tree of turns: its root, the current position, and the moments. Returns `None` if the stored data is
    /// unreadable. `path` is the path of the session. Its first turns are the turns of the root.
    pub fn tree(
        &mut self,
        path: StoredPath<'_>,
    ) -> Checked<Option<(TreeRoot, TreePlace, Vec<TurnNode>)>> {
        self.read(|view, name| {
            let select = "SELECT branch, moment, turns, said, id, saved, memory FROM trees WHERE session = ?1";
            let tree = view.query_row(select, [name], |row| row.try_into()).optional()?;
            let Some((branch, moment, turns, said, id, saved, memory)) = tree else { return Ok(None) };
            let before = |count: u32| usize::try_from(count).unwrap_or(usize::MAX);
            let root = TreeRoot {
                checkpoint: Checkpoint { id, saved, memory },
                turns,
                said: path.said.iter().take(before(said)).cloned().collect(),
                records: path.records.iter().take(before(turns)).cloned().collect(),
            };
            let select = "SELECT name, tip FROM branches WHERE session = ?1 ORDER BY position";
            let branch_of = |row: &Row<'_>| Ok(TurnBranch { name: row.get(0)?, tip: row.get(1)? });
            let branches = view.prepare(select)?.query_map([name], branch_of)?.collect::<Result<_, _>>()?;
            let select = "SELECT before, line, record, said, id, saved, memory FROM moments WHERE session = ?1
                          ORDER BY number";
            let moments = view.prepare(select)?.query_map([name], moment_of)?.collect::<Result<Option<Vec<_>>, _>>()?;
            Ok(moments.map(|moments| (root, TreePlace { branch, moment, branches }, moments)))
        })
    }

    /// Starts a new tree at the current turn.
    ///
    /// # Errors
    /// Returns the finding if the store cannot be written. Nothing has changed then.
    pub fn plant(&mut self, root: &TreeRoot, place: &TreePlace) -> Checked {
        self.write(|change, name| plant(change, name, root, place))
    }

    /// Moves the session to another position in its tree, in one transaction. Adds the moments `grown`, and the turn
    /// `begun` at the new position.
    ///
    /// # Errors
    /// Returns the finding if the store cannot be written. Nothing has changed then.
    pub fn travel(
        &mut self,
        session: &StoredSession,
        place: &TreePlace,
        path: StoredPath<'_>,
        grown: &[TurnNode],
        begun: Option<(u32, &str)>,
    ) -> Checked {
        self.write(|change, name| {
            update(change, name, session)?;
            clear_tables(change, name, &PATH)?;
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

    /// Saves an entered line.
    pub fn note_line(&mut self, line: &str) -> Checked {
        self.write(|change, name| {
            let insert = "INSERT INTO lines (session, line) VALUES (?1, ?2)";
            change
                .prepare_cached(insert)?
                .execute((name, line))
                .map(|_| ())
        })
    }

    /// The last lines entered in any session of the file, in chronological order.
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

/// A turn of the tree. Returns `None` if its utterances are unreadable.
fn moment_of(row: &Row<'_>) -> Result<Option<TurnNode>, Error> {
    let (before, line, record, said, id, saved, memory): (_, _, _, String, _, _, _) =
        row.try_into()?;
    Ok(said_of_json(&said).map(|said| TurnNode {
        before,
        line,
        record,
        said,
        checkpoint: Checkpoint { id, saved, memory },
    }))
}
