//! The file in which the sessions of a project are kept: where it lies, how it is opened, what it must be.

use std::fs::OpenOptions;
use std::io;
use std::path::{Path, PathBuf};

use rusqlite::{Connection, OpenFlags};

use super::session_lock::SessionLock;
use super::session_name::SessionName;
use super::session_store::SessionStore;
use super::store_file::StoreFile;
use super::store_format::SESSIONS;
use super::stored_session::ListedSession;
use fsmsim_syntax::diagnostic::{Checked, Code, Diagnostic};
use fsmsim_syntax::files::{for_owner_alone, make_ignored_folder};

/// The file in which the sessions of a project are kept.
#[derive(Clone, Debug)]
pub struct SessionFile {
    /// The folder of what runs leave behind.
    folder: PathBuf,
    file: StoreFile,
}

impl SessionFile {
    /// The sessions of the project at `root`.
    pub fn of(root: &Path) -> Self {
        let folder = root.join(".fsmsim");
        Self {
            file: StoreFile::new(folder.join("sessions.sqlite"), &SESSIONS),
            folder,
        }
    }

    /// Whether there is something at its place.
    pub fn is_there(&self) -> bool {
        self.file.is_there()
    }

    /// Opens the store for one session, which nobody else may play meanwhile. What is missing is created, in a folder that
    /// ignores itself in git.
    ///
    /// # Errors
    /// The finding about a file that is no store or cannot be written, and about a session that is played elsewhere.
    pub fn open(&self, name: &SessionName) -> Checked<SessionStore> {
        let unwritable = |error: io::Error| self.file.unwritable(&error.to_string());
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
            self.file.clone(),
            name.clone(),
            connection,
            lock,
        ))
    }

    /// The sessions by name, whoever plays them; none where there is no store.
    pub fn list(&self) -> Checked<Vec<ListedSession>> {
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
        read.map_err(|error| self.file.finding(&error).into())
    }

    /// Whether there is a session of this name, whoever plays it.
    pub fn holds(&self, name: &SessionName) -> Checked<bool> {
        if !self.is_there() {
            return Ok(false);
        }
        let found = self
            .connect()?
            .prepare("SELECT 1 FROM sessions WHERE name = ?1")
            .and_then(|mut select| select.exists([name.as_str()]));
        found.map_err(|error| self.file.finding(&error).into())
    }

    fn connect(&self) -> Checked<Connection> {
        // What was said in the sessions is nobody else's to read, and what SQLite lays beside the file is as the file is. Where it
        // cannot be created, SQLite cannot either, and tells why.
        drop(
            for_owner_alone(OpenOptions::new().write(true).create_new(true)).open(&self.file.path),
        );
        self.file.open(OpenFlags::SQLITE_OPEN_CREATE)
    }

    /// The path, to be shown.
    pub fn shown(&self) -> String {
        self.file.shown()
    }
}
