//! The file that contains the memory and the audit of cycles.

use std::path::Path;
use std::sync::Arc;

use rusqlite::{Connection, Error, OpenFlags};
use uuid::Uuid;

use crate::stores::store_file::StoreFile;
use crate::stores::store_format::MEMORIES;
use fsmsim_syntax::diagnostic::{Checked, Code, Diagnostic};
use fsmsim_syntax::threads::Mutex;

/// The file that contains the memory and the audit of cycles.
#[derive(Clone, Debug)]
pub struct MemoryFile {
    file: StoreFile,
    /// The connection that keeps an in-memory database alive. The database is deleted with its last connection.
    held: Option<Arc<Mutex<Connection>>>,
}

impl MemoryFile {
    pub fn new(path: &Path) -> Self {
        Self {
            file: StoreFile::new(path.to_path_buf(), &MEMORIES),
            held: None,
        }
    }

    /// An in-memory database. Clones of the value share the database, and it is deleted with the last clone.
    pub fn volatile() -> Checked<Self> {
        let mut file = Self::new(Path::new(&format!(
            "file:/{}?vfs=memdb",
            Uuid::new_v4().simple()
        )));
        let connection = file.file.open(OpenFlags::SQLITE_OPEN_URI)?;
        file.held = Some(Arc::new(Mutex::new(connection)));
        Ok(file)
    }

    /// The path for display.
    pub fn shown(&self) -> String {
        if self.held.is_some() {
            "a memory without a file".to_owned()
        } else {
            self.file.shown()
        }
    }

    /// Whether anything exists at the path.
    pub fn is_there(&self) -> bool {
        self.held.is_some() || self.file.is_there()
    }

    /// Creates the memory if it is missing. Returns whether it was created. Concurrent processes use the same memory.
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

    /// Connects to an existing memory.
    pub(super) fn connect(&self) -> Checked<Connection> {
        self.file.open(if self.held.is_some() {
            OpenFlags::SQLITE_OPEN_URI
        } else {
            OpenFlags::empty()
        })
    }

    /// Connects for reading. The file may be write-protected.
    pub(super) fn look_into(&self) -> Checked<Connection> {
        if self.held.is_some() {
            return self.connect();
        }
        self.file.open_to_read()
    }

    /// The finding about an SQLite error.
    pub(super) fn finding(&self, error: &Error) -> Diagnostic {
        self.file.finding(error)
    }

    /// The finding about a missing memory that the dialogue used earlier.
    pub fn missing(&self) -> Diagnostic {
        Diagnostic::error(Code::BadMemory, "cannot find the memory of the session")
            .about(self.shown())
            .help(AS_IT_BEGAN)
    }

    /// The finding about a memory that does not contain a resumed dialogue.
    pub fn other(&self) -> Diagnostic {
        Diagnostic::error(Code::OtherSession, "the session uses another memory")
            .about(self.shown())
            .help(AS_IT_BEGAN)
    }

    /// The finding about a file that was deleted while in use.
    pub(super) fn gone(&self) -> Diagnostic {
        self.file.unwritable("the file was deleted")
    }
}

/// The help for a session that used another memory.
const AS_IT_BEGAN: &str =
    "use the memory with which the session started (`--memory FILE`), or start another session";
