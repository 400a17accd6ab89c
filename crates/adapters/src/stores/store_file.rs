//! SQLite files of stores: opening them, checking their format, and the findings about files that cannot be used.

use std::path::{Path, PathBuf};

use rusqlite::{Connection, Error, ErrorCode, OpenFlags};

use super::store_format::{
    StoreFormat, StoreKind, bound, immutable_address, message_of, patiently, settle,
};
use fsmsim_syntax::diagnostic::{Checked, Code, Diagnostic};
use fsmsim_syntax::document;
use fsmsim_syntax::files::InputFiles;

/// The flags for opening a file by its immutable URI.
pub(super) const WITHOUT_LOCKS: OpenFlags =
    OpenFlags::SQLITE_OPEN_READ_ONLY.union(OpenFlags::SQLITE_OPEN_URI);

/// The SQLite file of a store.
#[derive(Clone, Debug)]
pub(super) struct StoreFile {
    /// The path, or the URI of a store in memory.
    pub path: PathBuf,
    kind: &'static StoreKind,
}

impl StoreFile {
    pub(super) fn new(path: PathBuf, kind: &'static StoreKind) -> Self {
        Self { path, kind }
    }

    /// The path as messages show it.
    pub(super) fn shown(&self) -> String {
        self.path.display().to_string()
    }

    /// Whether anything exists at the path.
    pub(super) fn is_there(&self) -> bool {
        self.path.symlink_metadata().is_ok()
    }

    /// Whether a log next to the file contains changes that are not in the file yet.
    pub(super) fn has_log(&self) -> bool {
        ["-wal", "-journal"].into_iter().any(|suffix| {
            let mut log = self.path.clone().into_os_string();
            log.push(suffix);
            std::fs::metadata(log).is_ok_and(|log| log.len() > 0)
        })
    }

    /// The finding about a missing file or a directory.
    pub(super) fn unreadable(&self) -> Option<Diagnostic> {
        let error = match std::fs::metadata(&self.path) {
            Ok(file) if file.is_dir() => std::io::ErrorKind::IsADirectory.into(),
            Ok(_) => return None,
            Err(error) => error,
        };
        Some(document::unreadable(&self.path, &error))
    }

    /// Opens the file for writing. An empty database becomes a store.
    ///
    /// # Errors
    /// Returns a finding if the file is not a store of this kind and version, or cannot be written.
    pub(super) fn open(&self, flags: OpenFlags) -> Checked<Connection> {
        if self.path.is_dir() {
            return Err(self.unusable("is a directory").into());
        }
        let kind = self.kind;
        let found = |error| self.finding(&error);
        let flags = flags | OpenFlags::SQLITE_OPEN_READ_WRITE;
        let (mut connection, format) =
            patiently(kind.wait, || self.look(&self.path, flags)).map_err(found)?;
        // SQLite opens a write-protected file without an error.
        if connection.is_readonly("main") != Ok(false) {
            return Err(self.unwritable("the file is write-protected").into());
        }
        match format {
            StoreFormat::Ours => {}
            StoreFormat::Blank => {
                patiently(kind.wait, || kind.lay_out(&mut connection)).map_err(found)?;
            }
            other => return Err(self.refusal(other).into()),
        }
        settle(&connection, kind.wait).map_err(found)?;
        Ok(connection)
    }

    /// Opens the file for reading. It may be write-protected.
    pub(super) fn open_to_read(&self) -> Checked<Connection> {
        if let Some(finding) = self.unreadable() {
            return Err(finding.into());
        }
        let looked = match self.look(&self.path, OpenFlags::SQLITE_OPEN_READ_ONLY) {
            // SQLite needs a writable directory for its locks, even to read. A file without a log can be read without
            // locks.
            Err(error) if is_protected(&error) && !self.has_log() => {
                self.look(&immutable_address(&self.path), WITHOUT_LOCKS)
            }
            usual => usual,
        };
        match looked.map_err(|error| self.finding(&error))? {
            (connection, StoreFormat::Ours) => Ok(connection),
            (_, other) => Err(self.refusal(other).into()),
        }
    }

    /// Opens the file by its path or URI and detects its format.
    pub(super) fn look(
        &self,
        path: &Path,
        flags: OpenFlags,
    ) -> Result<(Connection, StoreFormat), Error> {
        InputFiles::add(path);
        let mut connection =
            Connection::open_with_flags(path, flags | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
        connection.busy_timeout(self.kind.wait)?;
        bound(&mut connection)?;
        let format = self.kind.format_of(&mut connection)?;
        Ok((connection, format))
    }

    /// The finding about a database that this version cannot use as a store.
    pub(super) fn refusal(&self, format: StoreFormat) -> Diagnostic {
        let kind = self.kind;
        let later = match format {
            StoreFormat::Later(later) => later,
            StoreFormat::Blank => return self.unusable("is an empty database"),
            StoreFormat::Ours | StoreFormat::Foreign => {
                return self.unusable("is a database of another program");
            }
        };
        Diagnostic::error(
            kind.later,
            format!(
                "{} has the format {later}, but this version supports formats up to {}",
                kind.subject, kind.latest
            ),
        )
        .about(self.shown())
        .help("use the version of fsmsim that wrote the file, or a later one")
    }

    /// The finding about an error of SQLite.
    pub(super) fn finding(&self, error: &Error) -> Diagnostic {
        let message = message_of(error);
        match error.sqlite_error_code() {
            Some(ErrorCode::NotADatabase) => self.unusable("is not an SQLite database"),
            Some(ErrorCode::DatabaseCorrupt) => self
                .unusable(&format!("is damaged: {message}"))
                .help(self.kind.help_if_damaged),
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => self
                .unusable(&format!("does not respond: {message}"))
                .help("end the program that locks the file, and run again: no data is lost"),
            Some(ErrorCode::Unknown | ErrorCode::OperationInterrupted) | None => self
                .unusable(&format!("cannot be read: {message}"))
                .help(self.kind.help_if_damaged),
            Some(_) => self.unwritable(&message),
        }
    }

    /// The finding about a file that cannot be written.
    pub(super) fn unwritable(&self, why: &str) -> Diagnostic {
        let title = format!("cannot save {}: {why}", self.kind.kept);
        Diagnostic::error(Code::CannotWrite, title)
            .about(self.shown())
            .help("check the directory, the permissions and the disk space; data saved earlier is unchanged")
    }

    /// The finding about a file that is not a store.
    pub(super) fn unusable(&self, what: &str) -> Diagnostic {
        Diagnostic::error(self.kind.bad, format!("{} {what}", self.kind.subject))
            .about(self.shown())
            .help(self.kind.help_if_foreign)
    }
}

/// Whether SQLite failed because the file or its directory is write-protected.
pub(super) fn is_protected(error: &Error) -> bool {
    matches!(
        error.sqlite_error_code(),
        Some(ErrorCode::CannotOpen | ErrorCode::ReadOnly)
    )
}
