//! The file that contains the sessions of a project.

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

/// The file that contains the sessions of a project.
#[derive(Clone, Debug)]
pub struct SessionFile {
    /// The directory for data of runs.
    folder: PathBuf,
    file: StoreFile,
}

impl SessionFile {
    /// The session file of the project at `root`.
    pub fn of(root: &Path) -> Self {
        let folder = root.join(".fsmsim");
        Self {
            file: StoreFile::new(folder.join("sessions.sqlite"), &SESSIONS),
            folder,
        }
    }

    /// Whether anything exists at the path.
    pub fn is_there(&self) -> bool {
        self.file.is_there()
    }

    /// Opens the store of one session and locks the session. Creates missing files in a directory that git ignores.
    ///
    /// # Errors
    /// Returns the finding if the file is not a store or cannot be written, or if another process uses the session.
    pub fn open(&self, name: &SessionName) -> Checked<SessionStore> {
        let unwritable = |error: io::Error| self.file.unwritable(&error.to_string());
        make_ignored_folder(&self.folder).map_err(unwritable)?;
        let lock = SessionLock::take(&self.folder.join("locks"), name).map_err(unwritable)?;
        let Some(lock) = lock else {
            return Diagnostic::error(
                Code::SessionInUse,
                format!("another process uses the session `{}`", name.as_str()),
            )
            .about(self.shown())
            .help("continue there, end that process, or use another session name")
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

    /// All sessions by name, locked or not. Empty without a store.
    pub fn list(&self) -> Checked<Vec<ListedSession>> {
        if !self.is_there() {
            return Ok(Vec::new());
        }
        let connection = self.connect()?;
        let select = "SELECT name, model, turns, saved, line FROM sessions LEFT JOIN progress ON session = name
                      ORDER BY name";
        let read = connection.prepare(select).and_then(|mut select| {
            let listed = select.query_map([], |row| {
                let name = row.get(0)?;
                let model = row.get(1)?;
                let turns = row.get(2)?;
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

    /// Whether a session with this name exists, locked or not.
    pub fn holds(&self, name: &SessionName) -> Checked<bool> {
        if !self.is_there() {
            return Ok(false);
        }
        self.connect()?
            .prepare("SELECT 1 FROM sessions WHERE name = ?1")
            .and_then(|mut select| select.exists([name.as_str()]))
            .map_err(|error| self.file.finding(&error).into())
    }

    fn connect(&self) -> Checked<Connection> {
        // Only the owner may read the utterances of sessions. SQLite creates its other files with the same permissions.
        // If creating the file fails, SQLite fails too and reports the reason.
        drop(
            for_owner_alone(OpenOptions::new().write(true).create_new(true)).open(&self.file.path),
        );
        self.file.open(OpenFlags::SQLITE_OPEN_CREATE)
    }

    /// The path for display.
    pub fn shown(&self) -> String {
        self.file.shown()
    }
}
