//! The journal of `fsmsim verify --follow`, with which a restart continues.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::follower::FollowState;
use fsmsim_syntax::diagnostic::{Checked, Code, Diagnostic};
use fsmsim_syntax::files::{FilePosition, open_lock, try_hold, write_whole};

/// The version of the format.
const VERSION: u32 = 1;

/// The number of bytes by which the journal can grow before it is replaced by the current state.
const MAX_GROWTH: u64 = 4 << 20;

/// A consistent state: the lines before the position are checked, and their verdicts are in the output.
#[derive(Clone, Serialize, Deserialize)]
pub struct FollowCommit {
    fsmsim_follow: u32,
    /// The hashes of the model and the map.
    pub versions: (String, Option<String>),
    pub position: FilePosition,
    /// The identity and the length of the output, if it is a file.
    pub output: Option<(FilePosition, u64)>,
    /// The number of verdicts.
    pub verdicts: u64,
    pub state: FollowState,
}

/// The journal: a complete state, and changes. A line that a crash tore is ignored.
#[derive(Debug)]
pub struct FollowJournal {
    path: PathBuf,
    file: File,
    _lock: File,
    /// The number of bytes of the complete state, and of the changes after it.
    sizes: (u64, u64),
}

impl FollowCommit {
    pub fn new(versions: (String, Option<String>), position: FilePosition) -> Self {
        Self {
            fsmsim_follow: VERSION,
            versions,
            position,
            output: None,
            verdicts: 0,
            state: FollowState::default(),
        }
    }

    fn line(&self) -> io::Result<String> {
        Ok(serde_json::to_string(self)? + "\n")
    }
}

impl FollowJournal {
    /// Opens a journal. Also returns its last commit.
    ///
    /// # Errors
    /// Returns a finding if the file cannot be read or written, or if another process uses it.
    pub fn open(path: &Path) -> Checked<(Self, Option<FollowCommit>)> {
        let failed = |error: io::Error| Box::new(Diagnostic::unwritten(path, &error));
        let mut lock_path = path.as_os_str().to_owned();
        lock_path.push(".lock");
        let lock = open_lock(Path::new(&lock_path)).map_err(failed)?;
        if !try_hold(&lock).map_err(failed)? {
            let title = format!("another process uses the journal `{}`", path.display());
            let finding = Diagnostic::bad_arguments(title);
            return finding
                .help("end the other process, or use another file")
                .fail();
        }
        let text = match std::fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
            Err(error) => return Err(failed(error)),
        };
        let mut last: Option<FollowCommit> = None;
        for line in text
            .split_inclusive('\n')
            .filter(|line| line.ends_with('\n'))
        {
            let Ok(commit) = serde_json::from_str::<FollowCommit>(line) else {
                return Err(unreadable(path));
            };
            match &mut last {
                Some(last) => {
                    let state = std::mem::take(&mut last.state);
                    *last = commit;
                    last.state.follows(state);
                }
                None => last = Some(commit),
            }
        }
        if last.is_none() && !text.is_empty()
            || last
                .as_ref()
                .is_some_and(|last| last.fsmsim_follow != VERSION)
        {
            return Err(unreadable(path));
        }
        // The changes are combined, and a torn line is removed.
        let all = last.as_ref().map_or(Ok(String::new()), FollowCommit::line);
        let all = all
            .and_then(|all| write_whole(path, &all).map(|()| all))
            .map_err(failed)?;
        let file = File::options().append(true).open(path).map_err(failed)?;
        let journal = Self {
            path: path.to_path_buf(),
            file,
            _lock: lock,
            sizes: (all.len() as u64, 0),
        };
        Ok((journal, last))
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether the next commit must have the complete state.
    pub fn needs_all(&self) -> bool {
        let (complete, changes) = self.sizes;
        complete == 0 || changes > MAX_GROWTH.max(2 * complete)
    }

    /// Writes a commit. It has the complete state if [`needs_all`](Self::needs_all).
    ///
    /// # Errors
    /// Returns an error if the file cannot be written.
    pub fn write(&mut self, commit: &FollowCommit) -> io::Result<()> {
        let line = commit.line()?;
        if self.needs_all() {
            write_whole(&self.path, &line)?;
            self.file = File::options().append(true).open(&self.path)?;
            self.sizes = (line.len() as u64, 0);
        } else {
            self.file.write_all(line.as_bytes())?;
            self.sizes.1 += line.len() as u64;
        }
        Ok(())
    }
}

fn unreadable(path: &Path) -> Box<Diagnostic> {
    let title = format!("cannot read the journal `{}`", path.display());
    let finding = Diagnostic::error(Code::FileUnreadable, title);
    Box::new(finding.help("use another file: the trace is then checked from its start"))
}
