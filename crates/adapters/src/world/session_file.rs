//! The file in which the sessions of a project are kept: where it lies, how it is opened, what it must be.

use std::fs::OpenOptions;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, Error, ErrorCode, OpenFlags};

use super::session_lock::SessionLock;
use super::session_name::SessionName;
use super::session_store::SessionStore;
use super::store_format::{SESSIONS, StoreFormat, message_of, patiently, settle};
use super::stored_session::ListedSession;
use fsmsim_syntax::diagnostic::{Code, Diagnostic};
use fsmsim_syntax::files::{for_owner_alone, make_ignored_folder};

/// How long to wait for another process that writes.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);

/// The file in which the sessions of a project are kept.
#[derive(Clone, Debug)]
pub struct SessionFile {
    /// The folder of what runs leave behind.
    folder: PathBuf,
    path: PathBuf,
}

impl SessionFile {
    /// The sessions of the project at `root`.
    pub fn of(root: &Path) -> Self {
        let folder = root.join(".fsmsim");
        Self {
            path: folder.join("sessions.sqlite"),
            folder,
        }
    }

    /// Whether there is something at its place.
    pub fn is_there(&self) -> bool {
        self.path.symlink_metadata().is_ok()
    }

    /// Opens the store for one session, which nobody else may play meanwhile. What is missing is created, in a folder that
    /// ignores itself in git.
    ///
    /// # Errors
    /// The finding about a file that is no store or cannot be written, and about a session that is played elsewhere.
    pub fn open(&self, name: &SessionName) -> Result<SessionStore, Box<Diagnostic>> {
        let unwritable = |error: io::Error| self.unwritable(&error.to_string());
        make_ignored_folder(&self.folder).map_err(unwritable)?;
        let lock = SessionLock::take(&self.folder.join("locks"), name).map_err(unwritable)?;
        let Some(lock) = lock else {
            let title = format!(
                "the session `{}` is played by another process",
                name.as_str()
            );
            let finding = Diagnostic::error(Code::SessionInUse, title).about(self.shown());
            return finding
                .help("go on there, or end that process; another name is another session")
                .fail();
        };
        let connection = self.connect()?;
        Ok(SessionStore::new(
            self.clone(),
            name.clone(),
            connection,
            lock,
        ))
    }

    /// The sessions by name, whoever plays them; none where there is no store.
    ///
    /// # Errors
    /// The finding about a file that is no store or cannot be read.
    pub fn list(&self) -> Result<Vec<ListedSession>, Box<Diagnostic>> {
        if !self.is_there() {
            return Ok(Vec::new());
        }
        let connection = self.connect()?;
        let select = "SELECT name, model, turns, saved, line FROM sessions LEFT JOIN progress ON session = name
                      ORDER BY name";
        let read = connection.prepare(select).and_then(|mut select| {
            let listed = select.query_map([], |row| {
                let (name, model, turns) = (row.get(0)?, row.get(1)?, row.get(2)?);
                Ok(ListedSession {
                    name,
                    model,
                    turns,
                    saved: row.get(3)?,
                    unfinished: row.get(4)?,
                })
            })?;
            listed.collect()
        });
        read.map_err(|error| self.finding(&error).into())
    }

    /// Whether there is a session of this name, whoever plays it.
    ///
    /// # Errors
    /// The finding about a file that is no store or cannot be read.
    pub fn holds(&self, name: &SessionName) -> Result<bool, Box<Diagnostic>> {
        if !self.is_there() {
            return Ok(false);
        }
        let found = self
            .connect()?
            .prepare("SELECT 1 FROM sessions WHERE name = ?1")
            .and_then(|mut select| select.exists([name.as_str()]));
        found.map_err(|error| self.finding(&error).into())
    }

    fn connect(&self) -> Result<Connection, Box<Diagnostic>> {
        if self.path.is_dir() {
            return self.unusable("the store of the sessions is a folder");
        }
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
            | OpenFlags::SQLITE_OPEN_CREATE
            | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        // What was said in the sessions is nobody else's to read, and what SQLite lays beside the file is as the file is. Where it
        // cannot be created, SQLite cannot either, and tells why.
        drop(for_owner_alone(OpenOptions::new().write(true).create_new(true)).open(&self.path));
        let looked = patiently(BUSY_TIMEOUT, || self.look(flags));
        let (mut connection, format) = looked.map_err(|error| self.finding(&error))?;
        // SQLite opens what it may not write all the same.
        if connection.is_readonly("main") != Ok(false) {
            return Err(self.unwritable("the file may not be written").into());
        }
        match format {
            StoreFormat::Ours => {}
            StoreFormat::Blank => {
                patiently(BUSY_TIMEOUT, || SESSIONS.lay_out(&mut connection))
                    .map_err(|error| self.finding(&error))?;
            }
            StoreFormat::Later(later) => {
                let known = SESSIONS.latest;
                let title = format!(
                    "the sessions have the format {later}, and this version knows none after {known}"
                );
                let finding = Diagnostic::error(Code::LaterSessionStore, title).about(self.shown());
                return finding
                    .help("use the version of fsmsim that wrote them, or a later one")
                    .fail();
            }
            StoreFormat::Foreign => {
                return self.unusable("the store of the sessions is a database of another program");
            }
        }
        settle(&connection, BUSY_TIMEOUT).map_err(|error| self.finding(&error))?;
        patiently(BUSY_TIMEOUT, || connection.execute_batch(SESSIONS.added))
            .map_err(|error| self.finding(&error))?;
        Ok(connection)
    }

    fn look(&self, flags: OpenFlags) -> Result<(Connection, StoreFormat), Error> {
        let mut connection = Connection::open_with_flags(&self.path, flags)?;
        connection.busy_timeout(BUSY_TIMEOUT)?;
        let format = SESSIONS.format_of(&mut connection)?;
        Ok((connection, format))
    }

    /// What is to be said of an error of SQLite.
    pub(super) fn finding(&self, error: &Error) -> Diagnostic {
        let message = message_of(error);
        let (title, help) = match error.sqlite_error_code() {
            Some(ErrorCode::NotADatabase) => (
                "the store of the sessions is no SQLite database".to_owned(),
                MOVE_AWAY,
            ),
            Some(ErrorCode::DatabaseCorrupt) => (
                format!("the store of the sessions is damaged: {message}"),
                MOVE_AWAY,
            ),
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => (
                format!("the store of the sessions does not answer: {message}"),
                "end the program that holds the file, and run again: nothing is lost",
            ),
            Some(ErrorCode::Unknown) | None => (
                format!("the store of the sessions cannot be read: {message}"),
                MOVE_AWAY,
            ),
            Some(_) => return self.unwritable(&message),
        };
        Diagnostic::error(Code::BadSessionStore, title)
            .about(self.shown())
            .help(help)
    }

    /// The finding about a file that is not there any more.
    pub(super) fn gone(&self) -> Diagnostic {
        self.unwritable("it was removed while the session was played")
    }

    fn unwritable(&self, why: &str) -> Diagnostic {
        let finding = Diagnostic::error(
            Code::CannotWrite,
            format!("the session cannot be kept: {why}"),
        );
        let help = "check the folder, the rights and the space on the disk; what was kept so far is as it was";
        finding.about(self.shown()).help(help)
    }

    fn unusable<T>(&self, title: &str) -> Result<T, Box<Diagnostic>> {
        Diagnostic::error(Code::BadSessionStore, title)
            .about(self.shown())
            .help(MOVE_AWAY)
            .fail()
    }

    /// The path, to be shown.
    pub fn shown(&self) -> String {
        self.path.display().to_string()
    }
}

/// What to do about a file that is of no use.
const MOVE_AWAY: &str = "bring back a copy of the file, or move it away: then sessions begin anew";
