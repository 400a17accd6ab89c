//! The file in which memory and audit are kept: how it is opened, what it must be.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use rusqlite::{Connection, Error, ErrorCode, OpenFlags};
use uuid::Uuid;

use crate::world::store_format::{
    MEMORIES, StoreFormat, bound, immutable_address, message_of, patiently, settle,
};
use fsmsim_syntax::diagnostic::{Code, Diagnostic};
use fsmsim_syntax::document::unreadable;

/// How long to wait for others that write: each of them takes some milliseconds, and there may be many.
const BUSY_TIMEOUT: Duration = Duration::from_secs(30);

/// The file in which the memory of cycles and their audit are kept.
#[derive(Clone, Debug)]
pub struct MemoryFile {
    path: PathBuf,
    /// What keeps a memory that lies in no file: it is gone with its last connection.
    held: Option<Arc<Mutex<Connection>>>,
}

impl MemoryFile {
    /// The file at this path.
    pub fn new(path: &Path) -> Self {
        Self {
            path: path.to_path_buf(),
            held: None,
        }
    }

    /// A memory that lies in no file: all share it who have a clone of this, and it is gone with the last of them.
    ///
    /// # Errors
    /// The finding about a memory that cannot be made.
    pub fn volatile() -> Result<Self, Box<Diagnostic>> {
        let mut file = Self::new(Path::new(&format!(
            "file:/{}?vfs=memdb",
            Uuid::new_v4().simple()
        )));
        let connection =
            file.open(OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_URI)?;
        file.held = Some(Arc::new(Mutex::new(connection)));
        Ok(file)
    }

    /// The path, to be shown.
    pub fn shown(&self) -> String {
        if self.held.is_some() {
            "a memory in no file".to_owned()
        } else {
            self.path.display().to_string()
        }
    }

    /// Whether there is something at its place.
    pub fn is_there(&self) -> bool {
        self.held.is_some() || self.path.symlink_metadata().is_ok()
    }

    /// Makes sure that the memory is there; whether it had to be created. Where two processes do so at once, both use the same
    /// one.
    ///
    /// # Errors
    /// The finding about a file that is no memory, or cannot be written.
    pub fn ready(&self) -> Result<bool, Box<Diagnostic>> {
        let is_new = !self.is_there();
        if let Some(folder) = self
            .path
            .parent()
            .filter(|folder| is_new && !folder.as_os_str().is_empty())
        {
            std::fs::create_dir_all(folder).map_err(|error| self.unwritable(&error.to_string()))?;
        }
        self.open(OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE)?;
        Ok(is_new)
    }

    /// A connection to the memory, which is there.
    ///
    /// # Errors
    /// The finding about what cannot be used.
    pub(super) fn connect(&self) -> Result<Connection, Box<Diagnostic>> {
        let address = if self.held.is_some() {
            OpenFlags::SQLITE_OPEN_URI
        } else {
            OpenFlags::empty()
        };
        self.open(OpenFlags::SQLITE_OPEN_READ_WRITE | address)
    }

    /// A connection that changes nothing, also to a file that may not be written.
    ///
    /// # Errors
    /// The finding about what cannot be used.
    pub(super) fn look_into(&self) -> Result<Connection, Box<Diagnostic>> {
        if self.held.is_some() {
            return self.connect();
        }
        let metadata =
            std::fs::metadata(&self.path).map_err(|error| unreadable(&self.path, &error))?;
        if metadata.is_dir() {
            return Err(unreadable(&self.path, &std::io::ErrorKind::IsADirectory.into()).into());
        }
        let usual = look(&self.path, OpenFlags::SQLITE_OPEN_READ_ONLY);
        let looked = match usual {
            // SQLite wants a file for its locks, even to read. Where no changes are left in a log, it can do without.
            Err(error) if is_protected(&error) && !self.has_log() => {
                let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI;
                look(&immutable_address(&self.path), flags)
            }
            usual => usual,
        };
        let (connection, format) = looked.map_err(|error| self.finding(&error))?;
        match format {
            StoreFormat::Ours => Ok(connection),
            StoreFormat::Blank => self.unusable("it is an empty database"),
            other => self.refuse(other),
        }
    }

    /// Whether changes stand beside the file that are not in it yet.
    fn has_log(&self) -> bool {
        let mut log = self.path.clone().into_os_string();
        log.push("-wal");
        std::fs::metadata(log).is_ok_and(|log| log.len() > 0)
    }

    fn open(&self, flags: OpenFlags) -> Result<Connection, Box<Diagnostic>> {
        if self.path.is_dir() {
            return self.unusable("it is a folder");
        }
        let looked = patiently(BUSY_TIMEOUT, || look(&self.path, flags));
        let (mut connection, format) = looked.map_err(|error| self.finding(&error))?;
        if connection.is_readonly("main") != Ok(false) {
            return Err(self.unwritable("the file may not be written").into());
        }
        match format {
            StoreFormat::Ours => {}
            StoreFormat::Blank => {
                patiently(BUSY_TIMEOUT, || MEMORIES.lay_out(&mut connection))
                    .map_err(|error| self.finding(&error))?;
            }
            other => return self.refuse(other),
        }
        settle(&connection, BUSY_TIMEOUT).map_err(|error| self.finding(&error))?;
        Ok(connection)
    }

    fn refuse<T>(&self, format: StoreFormat) -> Result<T, Box<Diagnostic>> {
        let StoreFormat::Later(later) = format else {
            return self.unusable("it is a database of another program");
        };
        let known = MEMORIES.latest;
        let title =
            format!("the memory has the format {later}, and this version knows none after {known}");
        let finding = Diagnostic::error(Code::LaterMemory, title).about(self.shown());
        finding
            .help("use the version of fsmsim that wrote it, or a later one")
            .fail()
    }

    /// What is to be said of an error of SQLite.
    pub(super) fn finding(&self, error: &Error) -> Diagnostic {
        let message = message_of(error);
        let (title, help) = match error.sqlite_error_code() {
            Some(ErrorCode::NotADatabase) => ("it is no SQLite database".to_owned(), NAME_ANOTHER),
            Some(ErrorCode::DatabaseCorrupt) => (format!("it is damaged: {message}"), BRING_BACK),
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => (
                format!("it does not answer: {message}"),
                "end the program that holds the file, and run again: nothing is lost",
            ),
            Some(ErrorCode::Unknown | ErrorCode::OperationInterrupted) | None => {
                (format!("it cannot be read: {message}"), BRING_BACK)
            }
            Some(_) => return self.unwritable(&message),
        };
        Diagnostic::error(
            Code::BadMemory,
            format!("the memory cannot be used: {title}"),
        )
        .about(self.shown())
        .help(help)
    }

    /// The finding about a memory that is not there, and holds what a dialogue remembered.
    pub fn missing(&self) -> Diagnostic {
        let finding = Diagnostic::error(
            Code::BadMemory,
            "the memory with which the session is played is not there",
        );
        finding.about(self.shown()).help(AS_IT_BEGAN)
    }

    /// The finding about a memory that does not know a dialogue that goes on.
    pub fn other(&self) -> Diagnostic {
        let finding = Diagnostic::error(
            Code::OtherSession,
            "the session is played with another memory",
        );
        finding.about(self.shown()).help(AS_IT_BEGAN)
    }

    /// The finding about a file that is not there any more.
    pub(super) fn gone(&self) -> Diagnostic {
        self.unwritable("it was removed meanwhile")
    }

    fn unwritable(&self, why: &str) -> Diagnostic {
        let finding = Diagnostic::error(
            Code::CannotWrite,
            format!("the memory cannot be kept: {why}"),
        );
        let help = "check the folder, the rights and the space on the disk; what was kept so far is as it was";
        finding.about(self.shown()).help(help)
    }

    fn unusable<T>(&self, why: &str) -> Result<T, Box<Diagnostic>> {
        let finding =
            Diagnostic::error(Code::BadMemory, format!("the memory cannot be used: {why}"));
        finding.about(self.shown()).help(NAME_ANOTHER).fail()
    }
}

/// What to do about a session that remembers elsewhere.
const AS_IT_BEGAN: &str =
    "name the memory with which it began (`--memory FILE`), or begin another session";
/// What to do about a file that never was a memory.
const NAME_ANOTHER: &str =
    "name a file that a cycle has written: `fsmsim run MODEL --memory FILE` creates one";
/// What to do about a file that was one.
const BRING_BACK: &str = "bring back a copy of the file, or name another one";

/// Opens a file, and looks what it is.
fn look(path: &Path, flags: OpenFlags) -> Result<(Connection, StoreFormat), Error> {
    let mut connection =
        Connection::open_with_flags(path, flags | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
    connection.busy_timeout(BUSY_TIMEOUT)?;
    bound(&mut connection)?;
    let format = MEMORIES.format_of(&mut connection)?;
    Ok((connection, format))
}

fn is_protected(error: &Error) -> bool {
    matches!(
        error.sqlite_error_code(),
        Some(ErrorCode::CannotOpen | ErrorCode::ReadOnly)
    )
}
