//! The file of a store in SQLite: how it is opened, what it must be, and what is said of one that cannot be used.

use std::path::{Path, PathBuf};

use rusqlite::{Connection, Error, ErrorCode, OpenFlags};

use super::store_format::{
    StoreFormat, StoreKind, bound, immutable_address, message_of, patiently, settle,
};
use fsmsim_syntax::diagnostic::{Checked, Code, Diagnostic};
use fsmsim_syntax::document;

/// How a file is opened by its immutable address.
pub(super) const WITHOUT_LOCKS: OpenFlags =
    OpenFlags::SQLITE_OPEN_READ_ONLY.union(OpenFlags::SQLITE_OPEN_URI);

/// The file of a store of one kind.
#[derive(Clone, Debug)]
pub(super) struct StoreFile {
    /// Where it lies, or the address of a store that lies in no file.
    pub(super) path: PathBuf,
    kind: &'static StoreKind,
}

impl StoreFile {
    pub(super) fn new(path: PathBuf, kind: &'static StoreKind) -> Self {
        Self { path, kind }
    }

    /// The path, to be shown.
    pub(super) fn shown(&self) -> String {
        self.path.display().to_string()
    }

    /// Whether there is something at its place.
    pub(super) fn is_there(&self) -> bool {
        self.path.symlink_metadata().is_ok()
    }

    /// Whether changes stand beside the file that are not in it yet.
    pub(super) fn has_log(&self) -> bool {
        ["-wal", "-journal"].into_iter().any(|suffix| {
            let mut log = self.path.clone().into_os_string();
            log.push(suffix);
            std::fs::metadata(log).is_ok_and(|log| log.len() > 0)
        })
    }

    /// The finding about a file that is missing, or a folder.
    pub(super) fn unreadable(&self) -> Option<Diagnostic> {
        let error = match std::fs::metadata(&self.path) {
            Ok(file) if file.is_dir() => std::io::ErrorKind::IsADirectory.into(),
            Ok(_) => return None,
            Err(error) => error,
        };
        Some(document::unreadable(&self.path, &error))
    }

    /// A connection that writes. A store is made of an empty database.
    ///
    /// # Errors
    /// The finding about what cannot be used.
    pub(super) fn open(&self, flags: OpenFlags) -> Checked<Connection> {
        if self.path.is_dir() {
            return Err(self.unusable("is a folder").into());
        }
        let (kind, found) = (self.kind, |error| self.finding(&error));
        let flags = flags | OpenFlags::SQLITE_OPEN_READ_WRITE;
        let (mut connection, format) =
            patiently(kind.wait, || self.look(&self.path, flags)).map_err(found)?;
        // SQLite opens what it may not write all the same.
        if connection.is_readonly("main") != Ok(false) {
            return Err(self.unwritable("the file may not be written").into());
        }
        match format {
            StoreFormat::Ours => {}
            StoreFormat::Blank => {
                patiently(kind.wait, || kind.lay_out(&mut connection)).map_err(found)?;
            }
            other => return Err(self.refusal(other).into()),
        }
        settle(&connection, kind.wait).map_err(found)?;
        patiently(kind.wait, || connection.execute_batch(kind.added)).map_err(found)?;
        Ok(connection)
    }

    /// A connection that changes nothing, also to a file that may not be written.
    ///
    /// # Errors
    /// The finding about what cannot be used.
    pub(super) fn open_to_read(&self) -> Checked<Connection> {
        if let Some(finding) = self.unreadable() {
            return Err(finding.into());
        }
        let looked = match self.look(&self.path, OpenFlags::SQLITE_OPEN_READ_ONLY) {
            // SQLite wants a file for its locks, even to read. Where no changes are left in a log, it can do without.
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

    /// Opens the file, by its path or by an address of it, and looks what it is.
    pub(super) fn look(
        &self,
        path: &Path,
        flags: OpenFlags,
    ) -> Result<(Connection, StoreFormat), Error> {
        let mut connection =
            Connection::open_with_flags(path, flags | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
        connection.busy_timeout(self.kind.wait)?;
        if self.kind.is_bounded {
            bound(&mut connection)?;
        }
        let format = self.kind.format_of(&mut connection)?;
        Ok((connection, format))
    }

    /// The finding about a database that is no store that this version can use.
    pub(super) fn refusal(&self, format: StoreFormat) -> Diagnostic {
        let kind = self.kind;
        let later = match format {
            StoreFormat::Later(later) => later,
            StoreFormat::Blank => return self.unusable("is an empty database"),
            StoreFormat::Ours | StoreFormat::Foreign => {
                return self.unusable("is a database of another program");
            }
        };
        let title = format!(
            "{} the format {later}, and this version knows none after {}",
            kind.has, kind.latest
        );
        let help = format!(
            "use the version of fsmsim that wrote {}, or a later one",
            kind.pronoun
        );
        Diagnostic::error(kind.later, title)
            .about(self.shown())
            .help(help)
    }

    /// What is to be said of an error of SQLite.
    pub(super) fn finding(&self, error: &Error) -> Diagnostic {
        let message = message_of(error);
        match error.sqlite_error_code() {
            Some(ErrorCode::NotADatabase) => self.unusable("is no SQLite database"),
            Some(ErrorCode::DatabaseCorrupt) => self
                .unusable(&format!("is damaged: {message}"))
                .help(self.kind.help_if_damaged),
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => self
                .unusable(&format!("does not answer: {message}"))
                .help("end the program that holds the file, and run again: nothing is lost"),
            Some(ErrorCode::Unknown | ErrorCode::OperationInterrupted) | None => self
                .unusable(&format!("cannot be read: {message}"))
                .help(self.kind.help_if_damaged),
            Some(_) => self.unwritable(&message),
        }
    }

    /// The finding about a file in which nothing can be kept.
    pub(super) fn unwritable(&self, why: &str) -> Diagnostic {
        let title = format!("{} cannot be kept: {why}", self.kind.kept);
        let help = "check the folder, the rights and the space on the disk; what was kept so far is as it was";
        Diagnostic::error(Code::CannotWrite, title)
            .about(self.shown())
            .help(help)
    }

    /// The finding about a file that never was a store.
    pub(super) fn unusable(&self, what: &str) -> Diagnostic {
        Diagnostic::error(self.kind.bad, format!("{} {what}", self.kind.subject))
            .about(self.shown())
            .help(self.kind.help_if_foreign)
    }
}

/// Whether SQLite cannot write where it has to.
pub(super) fn is_protected(error: &Error) -> bool {
    matches!(
        error.sqlite_error_code(),
        Some(ErrorCode::CannotOpen | ErrorCode::ReadOnly)
    )
}
