//! The formats of stores in SQLite: the marks by which a database tells what it is, and its tables.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rusqlite::{Connection, Error, ErrorCode, TransactionBehavior};

use crate::limits::{MAX_STORE_PARTS, MAX_STORE_ROUNDS};
use fsmsim_syntax::diagnostic::Code;

/// How the databases of one kind are marked and laid out, and what is said of one that cannot be used.
#[derive(Debug)]
pub(super) struct StoreKind {
    /// The mark of this program's databases of the kind, `PRAGMA application_id`.
    application: i32,
    /// The format that this version reads and writes, `PRAGMA user_version`.
    pub(super) latest: i32,
    tables: &'static str,
    /// How long to wait for others that use the database.
    pub(super) wait: Duration,
    /// Whether a connection may work only for so long. One that lives as long as a dialogue has no end that is known.
    pub(super) is_bounded: bool,
    /// The codes of what cannot be used, and of what a later version wrote.
    pub(super) bad: Code,
    pub(super) later: Code,
    /// What cannot be used, as the subject of a sentence; what has a format; and a pronoun for it.
    pub(super) subject: &'static str,
    pub(super) has: &'static str,
    pub(super) pronoun: &'static str,
    /// What cannot be kept where nothing can be written.
    pub(super) kept: &'static str,
    /// What to do about a file that never was a store, and about one that was.
    pub(super) help_if_foreign: &'static str,
    pub(super) help_if_damaged: &'static str,
}

/// Steps of SQLite's machine between two looks at the budget. A document is found in some fifty steps.
const STEPS: i32 = 10_000;

/// Data of users: "fsdt" in ASCII. What was imported was saved under no schema.
pub(super) const TWINS: StoreKind = StoreKind {
    application: 0x6673_6474,
    latest: 1,
    // The keys of what was written are those of the last turn of each session: no earlier one is asked for again.
    tables: include_str!("../../sql/twins.sql"),
    wait: Duration::from_secs(2),
    is_bounded: true,
    bad: Code::BadTwin,
    later: Code::LaterTwin,
    subject: "the twin",
    has: "the twin has",
    pronoun: "it",
    kept: "the data",
    help_if_foreign: "name a file that is not there yet: `fsmsim run MODEL --twin new.sqlite` creates it",
    help_if_damaged: "bring back a copy of the file, or name another one",
};

/// Sessions: "fsss" in ASCII. A session has one row in `progress` at most, and its answers, while a turn goes on.
pub(super) const SESSIONS: StoreKind = StoreKind {
    application: 0x6673_7373,
    latest: 1,
    // `moments` has every turn that was played, in the order of playing, with the one before it; `trees` has where the tree
    // of turns begins and where the dialogue is in it; `lines` has every line that was typed.
    tables: include_str!("../../sql/sessions.sql"),
    wait: Duration::from_secs(5),
    is_bounded: false,
    bad: Code::BadSessionStore,
    later: Code::LaterSessionStore,
    subject: "the store of the sessions",
    has: "the sessions have",
    pronoun: "them",
    kept: "the session",
    help_if_foreign: "bring back a copy of the file, or move it away: then sessions begin anew",
    help_if_damaged: "bring back a copy of the file, or move it away: then sessions begin anew",
};

/// The memory of cycles, and their audit: "fsmm" in ASCII. Artifacts without a number are of a turn that is not whole yet. What
/// stands in `audit` is never changed or removed; the columns beside an entry are read from it.
pub(super) const MEMORIES: StoreKind = StoreKind {
    application: 0x6673_6d6d,
    latest: 1,
    tables: include_str!("../../sql/memories.sql"),
    // Each of the others that write takes some milliseconds, and there may be many.
    wait: Duration::from_secs(30),
    is_bounded: true,
    bad: Code::BadMemory,
    later: Code::LaterMemory,
    subject: "the memory cannot be used: it",
    has: "the memory has",
    pronoun: "it",
    kept: "the memory",
    help_if_foreign: "name a file that a cycle has written: `fsmsim run MODEL --memory FILE` creates one",
    help_if_damaged: "bring back a copy of the file, or name another one",
};

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

impl StoreKind {
    /// Looks what a database is.
    ///
    /// # Errors
    /// Those of reading; a file that is no database is one too.
    pub(super) fn format_of(&self, connection: &mut Connection) -> Result<StoreFormat, Error> {
        // All marks as of one moment: another process may be making a store of it right now.
        let view = connection.transaction()?;
        let number =
            |pragma: &str| view.pragma_query_value(None, pragma, |row| row.get::<_, i32>(0));
        let is_blank = "SELECT NOT EXISTS (SELECT 1 FROM sqlite_schema)";
        Ok(match (number("application_id")?, number("user_version")?) {
            (application, format) if application == self.application && format == self.latest => {
                // A view of the name of a table, or a table with rules of its own, would be run when it is read.
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

    /// What may stand in a store.
    fn contents(&self) -> Result<Vec<(String, Option<String>)>, Error> {
        let store = Connection::open_in_memory()?;
        store.execute_batch(self.tables)?;
        contents(&store)
    }

    /// Makes a store of an empty database. Where two processes do so at once, the second changes nothing.
    ///
    /// # Errors
    /// Those of writing; the database is empty then.
    pub(super) fn lay_out(&self, connection: &mut Connection) -> Result<(), Error> {
        let change = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        change.execute_batch(self.tables)?;
        change.pragma_update(None, "application_id", self.application)?;
        change.pragma_update(None, "user_version", self.latest)?;
        change.commit()
    }
}

/// All tables, indexes, views and triggers, with the text that made them.
fn contents(connection: &Connection) -> Result<Vec<(String, Option<String>)>, Error> {
    let mut select = connection.prepare("SELECT name, sql FROM sqlite_schema ORDER BY name")?;
    let rows = select.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    rows.take(MAX_STORE_PARTS).collect()
}

/// Bounds what a connection may work in all: a trigger that somebody has added, or a damaged file, may never end.
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

/// How long to wait before something is tried again.
const PAUSE: Duration = Duration::from_millis(5);

/// Does something over again for so long while another process holds the database: SQLite waits by itself for most things,
/// and for a change of the journal and for a log that is being taken up it does not.
///
/// # Errors
/// Those of what is done; the last one, where the time is over.
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

/// Each commit is on the disk before it is answered, so that nothing is lost by whatever stops this process. With a log of
/// changes that is one write each, and readers wait for nobody.
///
/// # Errors
/// Those of SQLite; the database is held for longer than this.
pub(super) fn settle(connection: &Connection, most: Duration) -> Result<(), Error> {
    patiently(most, || {
        connection.pragma_update_and_check(None, "journal_mode", "WAL", |_| Ok(()))
    })?;
    connection.pragma_update(None, "synchronous", "FULL")
}

/// The address under which a file is read that nobody is writing to: without locks, so that nothing is left beside it, not even
/// in a folder in which nothing can be written.
pub(super) fn immutable_address(path: &Path) -> PathBuf {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
    // No flag says so, only an address. What is special in one is as SQLite wants it.
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

/// What SQLite says, without what this program asked it.
pub(super) fn message_of(error: &Error) -> String {
    match error {
        Error::SqliteFailure(code, None) => code.to_string(),
        Error::SqliteFailure(_, Some(text)) => text.clone(),
        error => error.to_string(),
    }
}
