//! The file of a digital twin in SQLite. Data is copied into and out of it atomically.

use std::path::Path;
use std::time::SystemTime;

use rusqlite::types::ValueRef;
use rusqlite::{Connection, Error, ErrorCode, OpenFlags, Row, TransactionBehavior};
use serde_json::Value as Json;

use super::memory_twin::{Documents, MemoryTwin};
use super::store_file::{StoreFile, WITHOUT_LOCKS, is_protected};
use super::store_format::{StoreFormat, TWINS, immutable_address, message_of};
use fsmsim_syntax::diagnostic::{Checked, Code, Diagnostic};
use fsmsim_syntax::document::DEFINITION_LIMIT;

/// The file of a digital twin in SQLite.
#[derive(Clone, Debug)]
pub struct TwinFile {
    file: StoreFile,
}

/// The state of a store when a dialogue starts.
#[derive(Debug)]
pub enum Readiness {
    /// The store responds.
    There,
    /// The store was missing and is created.
    Created,
    /// The store does not respond now, with the reason. It might respond later.
    Silent(Box<Diagnostic>),
}

/// The reason for a failed connection.
#[derive(Debug)]
pub(super) enum StoreError {
    /// The file is not a valid store, and retrying does not help.
    Unusable(Box<Diagnostic>),
    /// The store does not respond now.
    Silent(Error),
}

impl From<Error> for StoreError {
    fn from(error: Error) -> Self {
        Self::Silent(error)
    }
}

/// Properties that show whether a file has changed: its size, its modification time, and whether it has a log.
type FileStamp = (Option<u64>, Option<SystemTime>, bool);

impl TwinFile {
    pub fn new(path: &Path) -> Self {
        Self {
            file: StoreFile::new(path.to_path_buf(), &TWINS),
        }
    }

    /// Creates the store if it is missing, and checks that it responds.
    pub fn ready(&self) -> Checked<Readiness> {
        let missing = !self.file.path.exists();
        if missing {
            let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE;
            self.open(&self.file.path, flags)
                .map_err(|error| Box::new(self.unwritable("cannot create the twin", error)))?;
        }
        match self.connect() {
            Ok(_) if missing => Ok(Readiness::Created),
            Ok(_) => Ok(Readiness::There),
            Err(StoreError::Unusable(finding)) => Err(finding),
            Err(StoreError::Silent(error)) => Ok(Readiness::Silent(Box::new(
                Diagnostic::warning(
                    Code::TwinUnavailable,
                    format!("the twin does not respond: {}", message_of(&error)),
                )
                .about(self.shown())
                .help("unlock or restore the file; the dialogue continues without the twin until it responds"),
            ))),
        }
    }

    /// Whether a file exists at the path.
    pub(super) fn is_there(&self) -> bool {
        self.file.path.is_file()
    }

    /// Connects for reading and writing, or only for reading if the file is write-protected.
    pub(super) fn connect(&self) -> Result<Connection, StoreError> {
        let error = match self.open(&self.file.path, OpenFlags::SQLITE_OPEN_READ_WRITE) {
            Ok(connection) => {
                // The mode is stored in the file. If it cannot be changed now, the store works in its current mode.
                let _ = connection.pragma_update_and_check(None, "journal_mode", "WAL", |_| Ok(()));
                return Ok(connection);
            }
            Err(StoreError::Silent(error)) if is_protected(&error) && self.file.path.is_file() => {
                error
            }
            Err(error) => return Err(error),
        };
        // With a log, SQLite needs a lock file even to read.
        if self.stamp().2 {
            Err(StoreError::Silent(error))
        } else {
            self.open_immutable()
        }
    }

    /// An in-memory copy of a user's data. Changes no files and creates no others. If the store does not respond,
    /// neither does the copy.
    ///
    /// # Errors
    /// Returns the finding if the file is missing, is not a store, or has too much data.
    pub(super) fn copy(&self, user: &str) -> Checked<MemoryTwin> {
        let before = self.stamp();
        let mut copied = if before.2 {
            self.copy_with_locks(user)
        } else {
            self.copy_from(self.open_immutable(), user)
        };
        // The file changed during the copy, so the data might be inconsistent: copy again with locks.
        if !before.2 && self.stamp() != before {
            copied = self.copy_with_locks(user);
        }
        match copied {
            Ok(documents) => Ok(MemoryTwin::of(documents)),
            Err(StoreError::Silent(_)) => Ok(MemoryTwin::down()),
            Err(StoreError::Unusable(finding)) => Err(finding),
        }
    }

    /// Copies all data of another store to a user without data, in one transaction.
    ///
    /// # Errors
    /// Returns the finding if the user has data, or if the store does not respond. Nothing is written then.
    pub fn fill(&self, user: &str, source: &MemoryTwin) -> Checked {
        let Some(documents) = source.documents() else {
            return Ok(());
        };
        self.connect()
            .and_then(|connection| self.put(connection, user, documents))
            .map_err(|error| Box::new(self.unwritable("cannot write the data to the twin", error)))
    }

    fn put(
        &self,
        mut connection: Connection,
        user: &str,
        documents: &Documents,
    ) -> Result<(), StoreError> {
        let change = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let taken: bool = change.query_row(
            "SELECT EXISTS (SELECT 1 FROM documents WHERE user = ?1)",
            [user],
            |row| row.get(0),
        )?;
        if taken {
            let title = format!("the user `{user}` already has data");
            let help = "omit the file to continue with the existing data, or use another user";
            return Err(self.unusable(Code::TwinNotEmpty, title, help));
        }
        let mut insert =
            change.prepare("INSERT INTO documents (user, key, value) VALUES (?1, ?2, ?3)")?;
        for (key, value) in documents {
            insert.execute((user, key, value.as_ref().unwrap_or(&Json::Null).to_string()))?;
        }
        drop(insert);
        change.commit()?;
        Ok(())
    }

    /// Opens a file for reading while no other process writes to it.
    fn open_immutable(&self) -> Result<Connection, StoreError> {
        self.open(&immutable_address(&self.file.path), WITHOUT_LOCKS)
    }

    fn copy_with_locks(&self, user: &str) -> Result<Documents, StoreError> {
        self.copy_from(
            self.open(&self.file.path, OpenFlags::SQLITE_OPEN_READ_ONLY),
            user,
        )
    }

    fn copy_from(
        &self,
        connection: Result<Connection, StoreError>,
        user: &str,
    ) -> Result<Documents, StoreError> {
        let mut connection = connection?;
        let view = connection.transaction()?;
        let size = "SELECT coalesce(sum(octet_length(value)), 0) FROM documents WHERE user = ?1";
        let size: i64 = view.query_row(size, [user], |row| row.get(0))?;
        if u64::try_from(size).is_ok_and(|size| size > DEFINITION_LIMIT) {
            let title = format!(
                "the data of `{user}` is too large: {size} bytes, limit {DEFINITION_LIMIT}"
            );
            return Err(self.unusable(Code::FileTooLarge, title, "use the data of another user"));
        }
        let mut select = view.prepare("SELECT value, key FROM documents WHERE user = ?1")?;
        let mut rows = select.query([user])?;
        let mut documents = Documents::new();
        while let Some(row) = rows.next()? {
            // A key that is not text cannot be requested.
            if let Ok(key) = row.get(1) {
                documents.insert(key, document(row)?);
            }
        }
        Ok(documents)
    }

    /// Opens the file by its path or URI, and checks its format.
    fn open(&self, path: &Path, flags: OpenFlags) -> Result<Connection, StoreError> {
        let unusable = |finding| StoreError::Unusable(Box::new(finding));
        if !flags.contains(OpenFlags::SQLITE_OPEN_CREATE) {
            self.file
                .unreadable()
                .map_or(Ok(()), |finding| Err(unusable(finding)))?;
        }
        let (mut connection, format) = self.file.look(path, flags).map_err(|error| match error
            .sqlite_error_code()
        {
            Some(ErrorCode::NotADatabase) => unusable(self.file.finding(&error).help(
                "use a database that `fsmsim run MODEL --twin FILE` created, or a `.json` file",
            )),
            _ => StoreError::Silent(error),
        })?;
        match format {
            StoreFormat::Ours => {
                connection.query_row(
                    "SELECT count(*) FROM documents WHERE user = ''",
                    [],
                    |_| Ok(()),
                )?;
            }
            StoreFormat::Blank if flags.contains(OpenFlags::SQLITE_OPEN_READ_WRITE) => {
                TWINS.lay_out(&mut connection)?;
            }
            StoreFormat::Blank => {
                let help = "use a database with data: `fsmsim run MODEL --twin FILE` creates one";
                return Err(unusable(self.file.refusal(format).help(help)));
            }
            other => return Err(unusable(self.file.refusal(other))),
        }
        Ok(connection)
    }

    fn unusable(&self, code: Code, title: String, help: &str) -> StoreError {
        StoreError::Unusable(Box::new(
            Diagnostic::error(code, title)
                .about(self.shown())
                .help(help),
        ))
    }

    fn unwritable(&self, what: &str, error: StoreError) -> Diagnostic {
        match error {
            StoreError::Unusable(finding) => *finding,
            StoreError::Silent(error) => {
                let finding =
                    Diagnostic::error(Code::CannotWrite, format!("{what}: {}", message_of(&error)));
                let help = "check the directory, the permissions, and whether another program locks the file";
                finding.about(self.shown()).help(help)
            }
        }
    }

    fn stamp(&self) -> FileStamp {
        let file = std::fs::metadata(&self.file.path).ok();
        (
            file.as_ref().map(std::fs::Metadata::len),
            file.and_then(|file| file.modified().ok()),
            self.file.has_log(),
        )
    }

    /// The path for display.
    pub fn shown(&self) -> String {
        self.file.shown()
    }
}

/// The document in the first column of a row. Returns `None` if it is not JSON.
pub(super) fn document(row: &Row<'_>) -> Result<Option<Json>, Error> {
    Ok(match row.get_ref(0)? {
        ValueRef::Text(text) => serde_json::from_slice(text).ok(),
        _ => None,
    })
}
