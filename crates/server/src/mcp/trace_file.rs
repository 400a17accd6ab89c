//! The trace file of the server.
//!
//! The lines of a dialogue must be adjacent in a trace, but many dialogues run in parallel. Each dialogue is written to
//! a part file, whose lines move to the trace when the dialogue ends. A server adopts the part files of a killed
//! server.

use std::fs::{File, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use serde_json::{Map, Value as Json};

use crate::http::log;
use fsmsim_syntax::diagnostic::{Checked, Code, Diagnostic};
use fsmsim_syntax::files::{InputFiles, for_owner_alone, try_hold};

/// The trace file of a server, and the part files of its dialogues.
#[derive(Debug)]
pub struct TraceFile {
    path: PathBuf,
    /// Locked while the server runs, so that no other process writes to it.
    file: File,
}

impl TraceFile {
    /// Opens the trace and moves the part files of a killed server into it.
    ///
    /// # Errors
    /// Returns a finding if the file cannot be written, or another server is writing to it.
    pub fn open(path: &Path) -> Checked<Self> {
        Self::reported(path, Self::locked(path).and_then(Self::take_up))
    }

    /// Opens the trace and keeps the part files: their dialogues are stored as sessions and continue.
    ///
    /// # Errors
    /// Returns a finding if the file cannot be written, or another server is writing to it.
    pub fn open_with_sessions(path: &Path) -> Checked<Self> {
        Self::reported(path, Self::locked(path))
    }

    fn reported(path: &Path, opened: io::Result<Self>) -> Checked<Self> {
        opened.map_err(|error| {
            Box::new(
                Diagnostic::error(
                    Code::CannotWrite,
                    format!("cannot write the trace: {error}"),
                )
                .about(path.display().to_string())
                .help("use another file, in a writable directory"),
            )
        })
    }

    fn locked(path: &Path) -> io::Result<Self> {
        InputFiles::check(path)?;
        let file =
            for_owner_alone(OpenOptions::new().create(true).read(true).append(true)).open(path)?;
        if !try_hold(&file)? {
            return Err(io::Error::new(
                io::ErrorKind::WouldBlock,
                "another server is writing to it",
            ));
        }
        Ok(Self {
            path: path.to_path_buf(),
            file,
        })
    }

    /// Moves the part files of a killed server into the trace. Invalid files are left unchanged.
    fn take_up(mut self) -> io::Result<Self> {
        for session in self.left_over()? {
            let part = self.part(&session);
            match LeftPart::of(&std::fs::read(&part)?, &session) {
                LeftPart::Ours => {
                    self.end(&session)?;
                    log(&format!(
                        "session {session}: added to the trace from a server that was killed"
                    ));
                }
                LeftPart::Empty => self.forget(&session)?,
                LeftPart::Others => {}
                LeftPart::NoTrace => {
                    log(&format!(
                        "warning: `{}` is not the trace of a dialogue, and is left unchanged",
                        part.display()
                    ));
                }
            }
        }
        Ok(self)
    }

    /// Deletes the part file of a dialogue.
    pub(super) fn forget(&mut self, session: &str) -> io::Result<()> {
        match std::fs::remove_file(self.part(session)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    /// Writes all lines or none, so that the write can be repeated after an error.
    pub(super) fn write(&mut self, session: &str, lines: &str) -> io::Result<()> {
        let mut part = for_owner_alone(OpenOptions::new().create(true).append(true))
            .open(self.part(session))?;
        let before = part.metadata()?.len();
        let written = part.write_all(lines.as_bytes());
        if written.is_err() {
            let _ = part.set_len(before);
        }
        written
    }

    /// Moves the lines of an ended dialogue into the trace.
    pub(super) fn end(&mut self, session: &str) -> io::Result<()> {
        let part = self.part(session);
        let lines = match std::fs::read(&part) {
            Ok(lines) => lines,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(error),
        };
        let before = self.file.seek(SeekFrom::End(0))?;
        if let Err(error) = self
            .file
            .write_all(whole_lines(&lines))
            .and_then(|()| self.file.sync_data())
        {
            // A partial dialogue would make the trace invalid; the part file still has the lines.
            let _ = self.file.set_len(before);
            return Err(error);
        }
        // The trace must not contain the dialogue twice.
        if let Err(error) = std::fs::remove_file(&part) {
            log(&format!(
                "error: cannot delete `{}`, which is in the trace already: {error}",
                part.display()
            ));
        }
        Ok(())
    }

    /// The part file of a dialogue.
    fn part(&self, session: &str) -> PathBuf {
        let mut name = self.path.clone().into_os_string();
        name.push(format!(".{session}{PART}"));
        name.into()
    }

    /// The dialogues with part files, sorted by name.
    fn left_over(&self) -> io::Result<Vec<String>> {
        let folder = self
            .path
            .parent()
            .filter(|folder| !folder.as_os_str().is_empty());
        let stem = self
            .path
            .file_name()
            .map(|name| name.to_string_lossy().into_owned())
            .unwrap_or_default();
        let mut left = Vec::new();
        for entry in std::fs::read_dir(folder.unwrap_or(Path::new(".")))? {
            let name = entry?.file_name().to_string_lossy().into_owned();
            let session = name
                .strip_prefix(&stem)
                .and_then(|name| name.strip_prefix('.')?.strip_suffix(PART));
            left.extend(
                session
                    .filter(|session| !session.is_empty())
                    .map(str::to_owned),
            );
        }
        left.sort_unstable();
        Ok(left)
    }
}

/// The extension of part files.
const PART: &str = ".part";

/// The content of a part file.
enum LeftPart {
    /// A dialogue of this trace.
    Ours,
    /// A dialogue without turns.
    Empty,
    /// A dialogue of another trace, whose file name starts with the name of this trace. Its server might be running.
    Others,
    /// A file that is not a trace.
    NoTrace,
}

impl LeftPart {
    /// Classifies the text of a part file with this dialogue name.
    fn of(text: &[u8], session: &str) -> Self {
        let mut lines = whole_lines(text)
            .split_inclusive(|byte| *byte == b'\n')
            .map(serde_json::from_slice::<Map<String, Json>>);
        let header = match lines.next() {
            // The process was killed while it wrote the header.
            None if BEGINNING.starts_with(text) || text.starts_with(BEGINNING) => {
                return Self::Empty;
            }
            Some(Ok(header)) if header.contains_key("fsmsim_trace") => header,
            _ => return Self::NoTrace,
        };
        let dialogue = header
            .get("dialogue")
            .and_then(Json::as_str)
            .unwrap_or_default();
        if dialogue != session {
            let is_others = session
                .strip_suffix(dialogue)
                .is_some_and(|rest| rest.ends_with('.'));
            return if is_others {
                Self::Others
            } else {
                Self::NoTrace
            };
        }
        let turns: Vec<bool> = lines.map(|line| line.is_ok()).collect();
        match &*turns {
            [] => Self::Empty,
            turns if turns.iter().all(|is_valid| *is_valid) => Self::Ours,
            _ => Self::NoTrace,
        }
    }
}

/// The start of a trace header.
const BEGINNING: &[u8] = b"{\"fsmsim_trace\":";

/// The complete lines. The last line can be incomplete if the server was killed while it wrote.
fn whole_lines(text: &[u8]) -> &[u8] {
    let end = text
        .iter()
        .rposition(|byte| *byte == b'\n')
        .map_or(0, |last| last + 1);
    text.get(..end).unwrap_or_default()
}
