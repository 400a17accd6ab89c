//! Stores the consents of the user in the user configuration.

use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::trust_request::{TrustRequest, hash_of};
use fsmsim_syntax::diagnostic::{Checked, Code, Diagnostic};
use fsmsim_syntax::document::{DEFINITION_LIMIT, read_bytes};
use fsmsim_syntax::files::{LockedFile, UserFolder};

/// The number of attempts to lock the file, and the pause between them.
const TRIES: u32 = 100;
const PAUSE: Duration = Duration::from_millis(20);

/// The file that stores the consents of the user.
#[derive(Debug)]
pub struct TrustStore {
    path: PathBuf,
    /// The directory of the project with symbolic links resolved.
    folder: String,
}

/// The content of the file.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct TrustFile {
    #[serde(default)]
    project: Vec<TrustedProject>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    subject: Vec<TrustedProject>,
}

/// A project, or a system under test of a project, that is trusted while its lines have this hash.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct TrustedProject {
    folder: String,
    lines: String,
}

impl TrustStore {
    /// The consents for the project in the directory `root`. Returns `None` if they cannot be stored: the user has no
    /// home directory, or the path is not valid Unicode.
    pub fn of(root: &Path) -> Option<Self> {
        let folder = Path::new(".")
            .join(root)
            .canonicalize()
            .ok()?
            .to_str()?
            .to_owned();
        Some(Self {
            path: UserFolder::Config.path()?.join("trust.toml"),
            folder,
        })
    }

    /// The path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether the user has approved these lines.
    pub fn holds(&self, request: &TrustRequest) -> Checked<bool> {
        Ok(self.read()?.project.contains(&self.trusted(request.hash())))
    }

    /// Whether the user has approved a system under test with these addresses and commands.
    pub fn holds_subject(&self, reach: &str) -> Checked<bool> {
        let trusted = self.trusted(hash_of([reach]));
        Ok(self.read()?.subject.contains(&trusted))
    }

    /// Stores the consent to these lines. It replaces earlier consent of this project, and preserves changes by other
    /// processes.
    pub fn add(&self, request: &TrustRequest) -> Checked {
        self.change(|file| {
            file.project.retain(|trusted| trusted.folder != self.folder);
            file.project.push(self.trusted(request.hash()));
        })
    }

    /// Stores the consent to these systems under test in addition to earlier ones.
    pub fn add_subjects<'r>(&self, reaches: impl Iterator<Item = &'r str>) -> Checked {
        let trusted = reaches.map(|reach| self.trusted(hash_of([reach])));
        self.change(|file| {
            let new: Vec<_> = trusted.filter(|new| !file.subject.contains(new)).collect();
            file.subject.extend(new);
        })
    }

    /// The approval of lines with this hash.
    fn trusted(&self, lines: String) -> TrustedProject {
        TrustedProject {
            folder: self.folder.clone(),
            lines,
        }
    }

    fn change(&self, change: impl FnOnce(&mut TrustFile)) -> Checked {
        let mut lock = self.hold().map_err(|error| self.unwritten(&error))?;
        let mut file = self.read()?;
        change(&mut file);
        let text =
            toml::to_string(&file).map_err(|error| self.unwritten(&io::Error::other(error)))?;
        Ok(lock
            .append(&text)
            .and_then(|()| lock.finish(&self.path))
            .map_err(|error| self.unwritten(&error))?)
    }

    /// The new version of the file, locked against other processes.
    fn hold(&self) -> io::Result<LockedFile> {
        for _ in 0..TRIES {
            if let Some(lock) = LockedFile::begin(&self.path.with_extension("toml.new"))? {
                return Ok(lock);
            }
            sleep(PAUSE);
        }
        Err(io::Error::new(
            ErrorKind::TimedOut,
            "another process is writing the file",
        ))
    }

    fn read(&self) -> Checked<TrustFile> {
        if self
            .path
            .symlink_metadata()
            .is_err_and(|error| error.kind() == ErrorKind::NotFound)
        {
            return Ok(TrustFile::default());
        }
        let bytes = read_bytes(&self.path, DEFINITION_LIMIT)?;
        toml::from_slice(&bytes).map_err(|error| {
            let title = format!("cannot read your approvals: {}", error.message());
            let finding =
                Diagnostic::error(Code::BadProject, title).about(self.path.display().to_string());
            Box::new(finding.help("correct the file, or delete it to be asked again"))
        })
    }

    fn unwritten(&self, error: &io::Error) -> Diagnostic {
        let path = self.path.display().to_string();
        Diagnostic::warning(
            Code::CannotWrite,
            format!("cannot save your approval: {error}"),
        )
        .about(path)
        .help("check the permissions of the directory; the approval applies to this run")
    }
}
