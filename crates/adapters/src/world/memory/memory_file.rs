//! The file in which memory and audit are kept: how it is opened, what it must be.

use std::path::Path;
use std::sync::Arc;

use rusqlite::{Connection, Error, OpenFlags};
use uuid::Uuid;

use crate::world::store_file::StoreFile;
use crate::world::store_format::MEMORIES;
use fsmsim_syntax::diagnostic::{Checked, Code, Diagnostic};
use fsmsim_syntax::threads::Mutex;

/// The file in which the memory of cycles and their audit are kept.
#[derive(Clone, Debug)]
pub struct MemoryFile {
    file: StoreFile,
    /// What keeps a memory that lies in no file: it is gone with its last connection.
    held: Option<Arc<Mutex<Connection>>>,
}

impl MemoryFile {
    pub fn new(path: &Path) -> Self {
        Self {
            file: StoreFile::new(path.to_path_buf(), &MEMORIES),
            held: None,
        }
    }

    /// A memory that lies in no file: all share it who have a clone of this, and it is gone with the last of them.
    pub fn volatile() -> Checked<Self> {
        let mut file = Self::new(Path::new(&format!(
            "file:/{}?vfs=memdb",
            Uuid::new_v4().simple()
        )));
        let connection = file.file.open(OpenFlags::SQLITE_OPEN_URI)?;
        file.held = Some(Arc::new(Mutex::new(connection)));
        Ok(file)
    }

    /// The path, to be shown.
    pub fn shown(&self) -> String {
        if self.held.is_some() {
            "a memory in no file".to_owned()
        } else {
            self.file.shown()
        }
    }

    /// Whether there is something at its place.
    pub fn is_there(&self) -> bool {
        self.held.is_some() || self.file.is_there()
    }

    /// Makes sure that the memory is there; whether it had to be created. Where two processes do so at once, both use the same
    /// one.
    pub fn ready(&self) -> Checked<bool> {
        let is_new = !self.is_there();
        if let Some(folder) = self
            .file
            .path
            .parent()
            .filter(|folder| is_new && !folder.as_os_str().is_empty())
        {
            std::fs::create_dir_all(folder)
                .map_err(|error| self.file.unwritable(&error.to_string()))?;
        }
        self.file.open(OpenFlags::SQLITE_OPEN_CREATE)?;
        Ok(is_new)
    }

    /// A connection to the memory, which is there.
    pub(super) fn connect(&self) -> Checked<Connection> {
        self.file.open(if self.held.is_some() {
            OpenFlags::SQLITE_OPEN_URI
        } else {
            OpenFlags::empty()
        })
    }

    /// A connection that changes nothing, also to a file that may not be written.
    pub(super) fn look_into(&self) -> Checked<Connection> {
        if self.held.is_some() {
            return self.connect();
        }
        self.file.open_to_read()
    }

    /// What is to be said of an error of SQLite.
    pub(super) fn finding(&self, error: &Error) -> Diagnostic {
        self.file.finding(error)
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
        self.file.unwritable("it was removed meanwhile")
    }
}

/// What to do about a session that remembers elsewhere.
const AS_IT_BEGAN: &str =
    "name the memory with which it began (`--memory FILE`), or begin another session";
