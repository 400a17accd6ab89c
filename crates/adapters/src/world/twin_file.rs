//! The file of a store in SQLite: how it is opened, what it must be, and how data comes in and out of it whole.

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

/// The file of a store in SQLite.
#[derive(Clone, Debug)]
pub struct TwinFile {
    file: StoreFile,
}

/// How a store is found when a dialogue begins.
#[derive(Debug)]
pub enum Readiness {
    /// It answers.
    There,
    /// It was not there, and now it is.
    Created,
    /// It does not answer now, and why; it may later.
    Silent(Box<Diagnostic>),
}

/// Why there is no connection.
#[derive(Debug)]
pub(super) enum StoreError {
    /// The file is no store that this version can use, and will not become one.
    Unusable(Box<Diagnostic>),
    /// It does not answer now.
    Silent(Error),
}

impl From<Error> for StoreError {
    fn from(error: Error) -> Self {
        Self::Silent(error)
    }
}

/// What of a file tells that somebody changed it: its size and time, and whether a log of changes stands beside it.
type FileStamp = (Option<u64>, Option<SystemTime>, bool);

impl TwinFile {
    pub fn new(path: &Path) -> Self {
        Self {
            file: StoreFile::new(path.to_path_buf(), &TWINS),
        }
    }

    /// Makes sure that the store is there, and asks it something.
    pub fn ready(&self) -> Checked<Readiness> {
        let missing = !self.file.path.exists();
        if missing {
            let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE;
            self.open(&self.file.path, flags)
                .map_err(|error| Box::new(self.unwritable("the twin cannot be created", error)))?;
        }
        match self.connect() {
            Ok(_) if missing => Ok(Readiness::Created),
            Ok(_) => Ok(Readiness::There),
            Err(StoreError::Unusable(finding)) => Err(finding),
            Err(StoreError::Silent(error)) => Ok(Readiness::Silent(Box::new(
                Diagnostic::warning(
                    Code::SilentTwin,
                    format!("the twin does not answer: {}", message_of(&error)),
                )
                .about(self.shown())
                .help("the dialogue goes on without; once the store answers, it is used"),
            ))),
        }
    }

    /// Whether there is a file at the path.
    pub(super) fn is_there(&self) -> bool {
        self.file.path.is_file()
    }

    /// A connection for reading and writing, or only for reading where nothing can be written.
    pub(super) fn connect(&self) -> Result<Connection, StoreError> {
        let error = match self.open(&self.file.path, OpenFlags::SQLITE_OPEN_READ_WRITE) {
            Ok(connection) => {
                // The mode stays in the file. Where another process is changing it now, or nothing can be written, the
                // store works in the mode that it has.
                let _ = connection.pragma_update_and_check(None, "journal_mode", "WAL", |_| Ok(()));
                return Ok(connection);
            }
            Err(StoreError::Silent(error)) if is_protected(&error) && self.file.path.is_file() => {
                error
            }
            Err(error) => return Err(error),
        };
        // Beside a store in this mode SQLite needs a file for its locks, even to read.
        if self.stamp().2 {
            Err(StoreError::Silent(error))
        } else {
            self.open_immutable()
        }
    }

    /// A copy of a user's data in memory; the file stays as it is, and nothing appears beside it. A store that does not
    /// answer is copied as one.
    ///
    /// # Errors
    /// The finding about a file that is missing, is no store, or has too much data.
    pub(super) fn copy(&self, user: &str) -> Checked<MemoryTwin> {
        let before = self.stamp();
        let mut copied = if before.2 {
            self.copy_beside_others(user)
        } else {
            self.copy_from(self.open_immutable(), user)
        };
        // Somebody wrote meanwhile: what was read may be half of it.
        if !before.2 && self.stamp() != before {
            copied = self.copy_beside_others(user);
        }
        match copied {
            Ok(documents) => Ok(MemoryTwin::of(documents)),
            Err(StoreError::Silent(_)) => Ok(MemoryTwin::down()),
            Err(StoreError::Unusable(finding)) => Err(finding),
        }
    }

    /// Fills the store of a user that has no data yet with all that another store has, in one transaction.
    ///
    /// # Errors
    /// The finding about a user that has data, or a store that does not answer; nothing is written then.
    pub fn fill(&self, user: &str, source: &MemoryTwin) -> Checked {
        let Some(documents) = source.documents() else {
            return Ok(());
        };
        let written = self
            .connect()
            .and_then(|connection| self.put(connection, user, documents));
        written.map_err(|error| {
            Box::new(self.unwritable("the data cannot be put into the twin", error))
        })
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
            let title = format!("the user `{user}` has data already");
            let help =
                "leave the file out, and go on with the data that are there; or name another user";
            return Err(self.unusable(Code::FilledTwin, title, help));
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

    /// Reads a file that nobody is writing to.
    fn open_immutable(&self) -> Result<Connection, StoreError> {
        self.open(&immutable_address(&self.file.path), WITHOUT_LOCKS)
    }

    fn copy_beside_others(&self, user: &str) -> Result<Documents, StoreError> {
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
                "the data of `{user}` have {size} bytes, more than the limit of {DEFINITION_LIMIT}"
            );
            return Err(self.unusable(
                Code::FileTooLarge,
                title,
                "play it with the data of another user",
            ));
        }
        let mut select = view.prepare("SELECT value, key FROM documents WHERE user = ?1")?;
        let mut rows = select.query([user])?;
        let mut documents = Documents::new();
        while let Some(row) = rows.next()? {
            // Nobody can ask for a key that is no text.
            if let Ok(key) = row.get(1) {
                documents.insert(key, document(row)?);
            }
        }
        Ok(documents)
    }

    /// Opens the file, by its path or by an address of it, and looks what it is.
    fn open(&self, path: &Path, flags: OpenFlags) -> Result<Connection, StoreError> {
        let unusable = |finding| StoreError::Unusable(Box::new(finding));
        if !flags.contains(OpenFlags::SQLITE_OPEN_CREATE) {
            self.file
                .unreadable()
                .map_or(Ok(()), |finding| Err(unusable(finding)))?;
        }
        let (mut connection, format) = self.file.look(path, flags).map_err(|error| match error.sqlite_error_code() {
            Some(ErrorCode::NotADatabase) => unusable(self.file.finding(&error).help(
                "give a database that `fsmsim run MODEL --twin FILE` created; JSON goes into a file called `.json`",
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
                let help = "give one with data: `fsmsim run MODEL --twin FILE` makes a store of it";
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
                let help = "check the folder and the rights, and who else has the file open";
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

    /// The path, to be shown.
    pub fn shown(&self) -> String {
        self.file.shown()
    }
}

/// The document of a row whose first column is its text; nothing where that is no JSON.
pub(super) fn document(row: &Row<'_>) -> Result<Option<Json>, Error> {
    Ok(match row.get_ref(0)? {
        ValueRef::Text(text) => serde_json::from_slice(text).ok(),
        _ => None,
    })
}
