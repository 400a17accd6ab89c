//! The formats of SQLite stores: the marks that identify a database, and its tables.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rusqlite::{Connection, Error, ErrorCode, TransactionBehavior};

use crate::limits::{MAX_STORE_PARTS, MAX_STORE_ROUNDS};
use fsmsim_syntax::diagnostic::Code;

/// The marks, tables and messages of one kind of database.
#[derive(Debug)]
pub(super) struct StoreKind {
    /// The mark of databases of this kind, `PRAGMA application_id`.
    application: i32,
    /// The format that this version reads and writes, `PRAGMA user_version`.
    pub latest: i32,
    tables: &'static str,
    /// How long to wait for a locked database.
    pub wait: Duration,
    /// The codes for invalid stores, and for stores of a later version.
    pub bad: Code,
    pub later: Code,
    /// The store as the subject of a sentence.
    pub subject: &'static str,
    /// The data that is lost if the store cannot be written.
    pub kept: &'static str,
    /// The help for a file that never was a store.
    pub help_if_foreign: &'static str,
    /// The help for a damaged store.
    pub help_if_damaged: &'static str,
}

/// SQLite virtual machine steps between two checks of the limit. Finding a document takes about fifty steps.
const STEPS: i32 = 10_000;

/// User data. The mark is "fsdt" in ASCII. Imported documents have no schema.
pub(super) const TWINS: StoreKind = StoreKind {
    application: 0x6673_6474,
    latest: 1,
    // Only the effects of the last turn of each session are stored. Earlier ones are never requested again.
    tables: include_str!("../../sql/twins.sql"),
    wait: Duration::from_secs(2),
    bad: Code::BadTwin,
    later: Code::LaterTwin,
    subject: "the twin",
    kept: "the data",
    help_if_foreign: "use a new file: `fsmsim run MODEL --twin new.sqlite` creates it",
    help_if_damaged: "restore a copy of the file, or use another one",
};

/// Sessions. The mark is "fsss" in ASCII. During a turn, a session has one row in `progress`, and one in `answers` per
/// answer.
pub(super) const SESSIONS: StoreKind = StoreKind {
    application: 0x6673_7373,
    latest: 1,
    // `moments` contains every turn in the order of execution, with the number of the previous turn. `trees` contains
    // the root of the tree and the current position. `lines` contains every entered line.
    tables: include_str!("../../sql/sessions.sql"),
    wait: Duration::from_secs(5),
    bad: Code::BadSessionStore,
    later: Code::LaterSessionStore,
    subject: "the session store",
    kept: "the session",
    help_if_foreign: "restore a copy of the file, or move it away to start without saved sessions",
    help_if_damaged: "restore a copy of the file, or move it away to start without saved sessions",
};

/// The memory and the audit of cycles. The mark is "fsmm" in ASCII. Artifacts without a sequence number belong to an
/// incomplete turn. Rows of `audit` are never changed or deleted. All other columns are derived from the column
/// `entry`.
pub(super) const MEMORIES: StoreKind = StoreKind {
    application: 0x6673_6d6d,
    latest: 1,
    tables: include_str!("../../sql/memories.sql"),
    // Many other processes may be writing. Each write takes some milliseconds.
    wait: Duration::from_secs(30),
    bad: Code::BadMemory,
    later: Code::LaterMemory,
    subject: "the memory",
    kept: "the memory",
    help_if_foreign: "use a file that a cycle has written: `fsmsim run MODEL --memory FILE` creates one",
    help_if_damaged: "restore a copy of the file, or use another one",
};

/// The detected format of a database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StoreFormat {
    /// A store that this version can use.
    Ours,
    /// A store in this format, written by a later version.
    Later(i32),
    /// An empty database.
    Blank,
    /// A database of another program.
    Foreign,
}

impl StoreKind {
    /// Detects the format of a database.
    ///
    /// # Errors
    /// Returns an error if the file is unreadable or is not a database.
    pub(super) fn format_of(&self, connection: &mut Connection) -> Result<StoreFormat, Error> {
        // One transaction: another process might be creating the store.
        let view = connection.transaction()?;
        let number =
            |pragma: &str| view.pragma_query_value(None, pragma, |row| row.get::<_, i32>(0));
        let is_blank = "SELECT NOT EXISTS (SELECT 1 FROM sqlite_schema)";
        Ok(match (number("application_id")?, number("user_version")?) {
            (application, format) if application == self.application && format == self.latest => {
                // A view with the name of a table, or a table with extra rules, would run SQL when it is read.
                let known = self.contents()?;
                let names =
                    |part: &(String, Option<String>)| known.iter().any(|(name, _)| *name == part.0);
                let is_ours = contents(&view)?
                    .iter()
                    .filter(|part| names(part))
                    .all(|part| known.contains(part));
                if is_ours {
                    StoreFormat::Ours
                } else {
                    StoreFormat::Foreign
                }
            }
            (application, later) if application == self.application && later > self.latest => {
                StoreFormat::Later(later)
            }
            (0, 0) if view.query_row(is_blank, [], |row| row.get(0))? => StoreFormat::Blank,
            _ => StoreFormat::Foreign,
        })
    }

    /// The expected schema of a store.
    fn contents(&self) -> Result<Vec<(String, Option<String>)>, Error> {
        let store = Connection::open_in_memory()?;
        store.execute_batch(self.tables)?;
        contents(&store)
    }

    /// Creates a store in an empty database. If another process has just created it, nothing changes.
    ///
    /// # Errors
    /// Returns an error if the database cannot be written. It stays empty then.
    pub(super) fn lay_out(&self, connection: &mut Connection) -> Result<(), Error> {
        let change = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        change.execute_batch(self.tables)?;
        change.pragma_update(None, "application_id", self.application)?;
        change.pragma_update(None, "user_version", self.latest)?;
        change.commit()
    }
}

/// All tables, indexes, views and triggers, with their SQL.
fn contents(connection: &Connection) -> Result<Vec<(String, Option<String>)>, Error> {
    let mut select = connection.prepare("SELECT name, sql FROM sqlite_schema ORDER BY name")?;
    select
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?
        .take(MAX_STORE_PARTS)
        .collect()
}

/// Limits the total work of a connection from now on: a malicious trigger or a damaged file might never end. A
/// connection for a complete dialogue needs a new limit for each transaction.
pub(super) fn bound(connection: &mut Connection) -> Result<(), Error> {
    let mut rounds = 0_u32;
    connection.progress_handler(
        STEPS,
        Some(move || {
            rounds = rounds.saturating_add(1);
            rounds > MAX_STORE_ROUNDS
        }),
    )
}

/// The pause before another attempt.
const PAUSE: Duration = Duration::from_millis(5);

/// Repeats an action while another process has locked the database, for at most `most`. SQLite itself waits in most
/// cases, but not for a change of the journal mode or the recovery of a log.
///
/// # Errors
/// Returns the error of the action, or its last error when the time is up.
pub(super) fn patiently<T>(
    most: Duration,
    mut act: impl FnMut() -> Result<T, Error>,
) -> Result<T, Error> {
    let begun = Instant::now();
    loop {
        match act() {
            Err(error) if is_busy(&error) && begun.elapsed() < most => std::thread::sleep(PAUSE),
            done => return done,
        }
    }
}

fn is_busy(error: &Error) -> bool {
    matches!(
        error.sqlite_error_code(),
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked)
    )
}

/// Configures a connection so that each commit is on disk before it returns. With a write-ahead log, a commit needs one
/// write and does not block readers.
///
/// # Errors
/// Returns an error of SQLite, or if the database is locked for longer than `most`.
pub(super) fn settle(connection: &Connection, most: Duration) -> Result<(), Error> {
    patiently(most, || {
        connection.pragma_update_and_check(None, "journal_mode", "WAL", |_| Ok(()))
    })?;
    connection.pragma_update(None, "synchronous", "FULL")
}

/// A URI that reads a file without locks if no other process writes to it. SQLite then creates no other files, and the
/// directory may be write-protected.
pub(super) fn immutable_address(path: &Path) -> PathBuf {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
    // There is no open flag for this, only a URI parameter. Special characters are escaped as SQLite requires.
    let path = path
        .to_string_lossy()
        .replace('%', "%25")
        .replace('?', "%3F")
        .replace('#', "%23");
    format!(
        "file:{}?immutable=1",
        path.replace(std::path::MAIN_SEPARATOR, "/")
    )
    .into()
}

/// The message of SQLite without the SQL statement.
pub(super) fn message_of(error: &Error) -> String {
    match error {
        Error::SqliteFailure(code, None) => code.to_string(),
        Error::SqliteFailure(_, Some(text)) => text.clone(),
        error => error.to_string(),
    }
}
