//! The trace file of the server.
//!
//! The lines of a dialogue stand together in a trace, but many dialogues go on at once. So each is written beside the file
//! as it goes, and moves into it when it ends. What a server that was killed has left there is taken up by the next one.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use crate::diagnostic::{Code, Diagnostic};
use crate::http::log;

/// The trace file of the server, and the dialogues beside it that still go on.
#[derive(Debug)]
pub struct TraceFile {
    path: PathBuf,
    /// Locked as long as the server runs, so that no other writes to it.
    file: File,
}

impl TraceFile {
    /// Opens the trace, and takes up what stands beside it.
    ///
    /// # Errors
    /// The finding about a file that cannot be written, or that another server writes.
    pub fn open(path: &Path) -> Result<Self, Box<Diagnostic>> {
        Self::told(path, Self::locked(path).and_then(Self::take_up))
    }

    /// Opens the trace, and leaves what stands beside it: those dialogues are kept elsewhere, and go on.
    ///
    /// # Errors
    /// The finding about a file that cannot be written, or that another server writes.
    pub fn open_beside_sessions(path: &Path) -> Result<Self, Box<Diagnostic>> {
        Self::told(path, Self::locked(path))
    }

    fn told(path: &Path, opened: io::Result<Self>) -> Result<Self, Box<Diagnostic>> {
        opened.map_err(|error| {
            let title = format!("the trace cannot be written: {error}");
            let finding = Diagnostic::error(Code::CannotWrite, title).about(path.display().to_string());
            Box::new(finding.help("name a file in a folder that can be written to"))
        })
    }

    fn locked(path: &Path) -> io::Result<Self> {
        let file = OpenOptions::new().create(true).read(true).append(true).open(path)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(io::Error::new(io::ErrorKind::WouldBlock, "another server writes to it"));
            }
            Err(TryLockError::Error(error)) => return Err(error),
        }
        Ok(Self { path: path.to_path_buf(), file })
    }

    /// Takes up what a server has left that was killed.
    fn take_up(mut self) -> io::Result<Self> {
        let left = self.left_over()?;
        self.end(&left)?;
        for session in left {
            log(&format!("session {session}: was left by a server that was killed, and is in the trace now"));
        }
        Ok(self)
    }

    /// What stands beside the trace of a dialogue is not wanted any more.
    pub(super) fn forget(&mut self, session: &str) -> io::Result<()> {
        match std::fs::remove_file(self.part(session)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    /// Writes a line of a dialogue that goes on.
    pub(super) fn write(&mut self, session: &str, line: &str) -> io::Result<()> {
        let mut part = OpenOptions::new().create(true).append(true).open(self.part(session))?;
        part.write_all([line, "\n"].concat().as_bytes())
    }

    /// Dialogues have ended: their lines move into the trace.
    pub(super) fn end(&mut self, sessions: &[String]) -> io::Result<()> {
        let mut moved = Vec::new();
        for session in sessions {
            let part = self.part(session);
            let mut lines = match std::fs::read(&part) {
                Ok(lines) => lines,
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                Err(error) => return Err(error),
            };
            // A line that was being written when the server was killed is no line.
            let whole = lines.iter().rposition(|byte| *byte == b'\n').map_or(0, |last| last + 1);
            lines.truncate(whole);
            let before = self.file.seek(SeekFrom::End(0))?;
            if let Err(error) = self.file.write_all(&lines) {
                // Half a dialogue would spoil the whole file; the part is still there.
                let _ = self.file.set_len(before);
                return Err(error);
            }
            moved.push(part);
        }
        if moved.is_empty() {
            return Ok(());
        }
        self.file.sync_data()?;
        moved.iter().try_for_each(std::fs::remove_file)
    }

    /// Where the lines of a dialogue are kept that goes on.
    fn part(&self, session: &str) -> PathBuf {
        let mut name = self.path.clone().into_os_string();
        name.push(format!(".{session}{PART}"));
        name.into()
    }

    /// The dialogues that a server has left, in the order of their names.
    fn left_over(&self) -> io::Result<Vec<String>> {
        let folder = self.path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let stem = self.path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let mut left = Vec::new();
        for entry in std::fs::read_dir(folder.unwrap_or(Path::new(".")))? {
            let name = entry?.file_name().to_string_lossy().into_owned();
            let session = name.strip_prefix(&stem).and_then(|name| name.strip_prefix('.')?.strip_suffix(PART));
            left.extend(session.filter(|session| !session.is_empty()).map(str::to_owned));
        }
        left.sort_unstable();
        Ok(left)
    }
}

/// How the names of dialogues end that go on.
const PART: &str = ".part";
