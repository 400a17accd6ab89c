//! The format of a store in SQLite: the marks by which a database tells what it is, and its one table.

use rusqlite::{Connection, Error, TransactionBehavior};

/// The mark of this program's databases, `PRAGMA application_id`: "fsdt" in ASCII.
const APPLICATION: i32 = 0x6673_6474;
/// The format that this version reads and writes, `PRAGMA user_version`.
pub(super) const LATEST: i32 = 1;

/// The table. What was imported was saved under no schema.
const LAYOUT: &str = "CREATE TABLE IF NOT EXISTS documents (
    user TEXT NOT NULL,
    key TEXT NOT NULL,
    value TEXT NOT NULL,
    schema TEXT,
    PRIMARY KEY (user, key)
) STRICT, WITHOUT ROWID";

/// What a database is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StoreFormat {
    /// A store that this version can use.
    Ours,
    /// A store of this format, which is later than what this version knows.
    Later(i32),
    /// Nothing yet.
    Blank,
    /// Something else.
    Foreign,
}

impl StoreFormat {
    /// Looks what a database is.
    ///
    /// # Errors
    /// Those of reading; a file that is no database is one too.
    pub(super) fn of(connection: &mut Connection) -> Result<Self, Error> {
        // All marks as of one moment: another process may be making a store of it right now.
        let view = connection.transaction()?;
        let number = |pragma: &str| view.pragma_query_value(None, pragma, |row| row.get::<_, i32>(0));
        let is_blank = "SELECT NOT EXISTS (SELECT 1 FROM sqlite_schema)";
        Ok(match (number("application_id")?, number("user_version")?) {
            (APPLICATION, LATEST) => Self::Ours,
            (APPLICATION, later) if later > LATEST => Self::Later(later),
            (0, 0) if view.query_row(is_blank, [], |row| row.get(0))? => Self::Blank,
            _ => Self::Foreign,
        })
    }

    /// Makes a store of an empty database. Where two processes do so at once, the second changes nothing.
    ///
    /// # Errors
    /// Those of writing; the database is empty then.
    pub(super) fn lay_out(connection: &mut Connection) -> Result<(), Error> {
        let change = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        change.execute_batch(LAYOUT)?;
        change.pragma_update(None, "application_id", APPLICATION)?;
        change.pragma_update(None, "user_version", LATEST)?;
        change.commit()
    }
}
