//! The trace file of the server.
//!
//! The lines of a dialogue stand together in a trace, but many dialogues go on at once. So each is written beside the file
//! as it goes, and moves into it when it ends. What a server that was killed has left there is taken up by the next one.

use std::fs::{File, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use serde_json::{Map, Value as Json};

use crate::http::log;
use fsmsim_syntax::diagnostic::{Checked, Code, Diagnostic};
use fsmsim_syntax::files::{for_owner_alone, try_hold};

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
    pub fn open(path: &Path) -> Checked<Self> {
        Self::told(path, Self::locked(path).and_then(Self::take_up))
    }

    /// Opens the trace, and leaves what stands beside it: those dialogues are kept elsewhere, and go on.
    ///
    /// # Errors
    /// The finding about a file that cannot be written, or that another server writes.
    pub fn open_beside_sessions(path: &Path) -> Checked<Self> {
        Self::told(path, Self::locked(path))
    }

    fn told(path: &Path, opened: io::Result<Self>) -> Checked<Self> {
        opened.map_err(|error| {
            let title = format!("the trace cannot be written: {error}");
            let finding =
                Diagnostic::error(Code::CannotWrite, title).about(path.display().to_string());
            Box::new(finding.help("name a file in a folder that can be written to"))
        })
    }

    fn locked(path: &Path) -> io::Result<Self> {
        let file =
            for_owner_alone(OpenOptions::new().create(true).read(true).append(true)).open(path)?;
        if !try_hold(&file)? {
            return Err(io::Error::new(
                io::ErrorKind::WouldBlock,
                "another server writes to it",
            ));
        }
        Ok(Self {
            path: path.to_path_buf(),
            file,
        })
    }

    /// Takes up what a server has left that was killed. What is no trace stays where it is.
    fn take_up(mut self) -> io::Result<Self> {
        for session in self.left_over()? {
            let part = self.part(&session);
            match LeftPart::of(&std::fs::read(&part)?, &session) {
                LeftPart::Ours => {
                    self.end(&session)?;
                    log(&format!(
                        "session {session}: was left by a server that was killed, and is in the trace now"
                    ));
                }
                LeftPart::Empty => self.forget(&session)?,
                LeftPart::Others => {}
                LeftPart::NoTrace => {
                    log(&format!(
                        "warning: `{}` is no trace of a dialogue, and stays where it is",
                        part.display()
                    ));
                }
            }
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

    /// Writes lines of a dialogue that goes on: all of them or none, so that they can be written again.
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

    /// A dialogue has ended: its lines move into the trace.
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
            // Half a dialogue would spoil the whole file; the part is still there.
            let _ = self.file.set_len(before);
            return Err(error);
        }
        // It is in the trace now, and must not come there twice.
        if let Err(error) = std::fs::remove_file(&part) {
            log(&format!(
                "error: `{}` is in the trace, and cannot be removed: {error}",
                part.display()
            ));
        }
        Ok(())
    }

    /// Where the lines of a dialogue are kept that goes on.
    fn part(&self, session: &str) -> PathBuf {
        let mut name = self.path.clone().into_os_string();
        name.push(format!(".{session}{PART}"));
        name.into()
    }

    /// The dialogues that a server has left, in the order of their names.
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

/// How the names of dialogues end that go on.
const PART: &str = ".part";

/// What lies beside the trace, under a name that a dialogue may have.
enum LeftPart {
    /// A dialogue of this trace.
    Ours,
    /// The beginning of one in which nothing was played.
    Empty,
    /// A dialogue of another trace, whose name begins as that of this one does: somebody may be writing it.
    Others,
    /// Something else.
    NoTrace,
}

impl LeftPart {
    /// What a text is, under the name of this dialogue.
    fn of(text: &[u8], session: &str) -> Self {
        let mut lines = whole_lines(text)
            .split_inclusive(|byte| *byte == b'\n')
            .map(serde_json::from_slice::<Map<String, Json>>);
        let header = match lines.next() {
            // The header itself was being written.
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
            turns if turns.iter().all(|is_line| *is_line) => Self::Ours,
            _ => Self::NoTrace,
        }
    }
}

/// How a trace begins.
const BEGINNING: &[u8] = b"{\"fsmsim_trace\":";

/// The lines that are whole: the one that was being written when the server was killed is none.
fn whole_lines(text: &[u8]) -> &[u8] {
    let end = text
        .iter()
        .rposition(|byte| *byte == b'\n')
        .map_or(0, |last| last + 1);
    text.get(..end).unwrap_or_default()
}
