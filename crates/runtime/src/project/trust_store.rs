//! What a user has agreed to, in the user's configuration.

use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::trust_request::{TrustRequest, hash_of};
use fsmsim_syntax::diagnostic::{Checked, Code, Diagnostic};
use fsmsim_syntax::document::{DEFINITION_LIMIT, read_bytes};
use fsmsim_syntax::files::{HeldFile, UserFolder};

/// How often to look whether another process has written the file, and how long to wait each time.
const TRIES: u32 = 100;
const PAUSE: Duration = Duration::from_millis(20);

/// The file in which the user's consents are kept.
#[derive(Debug)]
pub struct TrustStore {
    path: PathBuf,
    /// The project's folder, links resolved.
    folder: String,
}

/// The file as it is written.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct TrustFile {
    #[serde(default)]
    project: Vec<TrustedProject>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    subject: Vec<TrustedProject>,
}

/// A project that is trusted as long as its lines have this hash, or of which a subject is trusted whose lines have it.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct TrustedProject {
    folder: String,
    lines: String,
}

impl TrustStore {
    /// The consents about the project in the folder `root`. Nothing where none could be kept: the user has no home, or the
    /// folder no name that can be written.
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

    /// Where they are kept.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether the user has agreed to these lines.
    pub fn holds(&self, request: &TrustRequest) -> Checked<bool> {
        let lines = request.hash();
        Ok(self
            .read()?
            .project
            .iter()
            .any(|trusted| trusted.folder == self.folder && trusted.lines == lines))
    }

    /// Whether the user has agreed to a subject that reaches for this.
    pub fn holds_subject(&self, reach: &str) -> Checked<bool> {
        let lines = hash_of([reach]);
        Ok(self
            .read()?
            .subject
            .iter()
            .any(|trusted| trusted.folder == self.folder && trusted.lines == lines))
    }

    /// Keeps that the user has agreed to these lines, and to no others of this project. What other processes keep meanwhile is
    /// kept as well.
    pub fn add(&self, request: &TrustRequest) -> Checked {
        self.change(|file| {
            file.project.retain(|trusted| trusted.folder != self.folder);
            file.project.push(TrustedProject {
                folder: self.folder.clone(),
                lines: request.hash(),
            });
        })
    }

    /// Keeps that the user has agreed to these subjects as well, by what they reach for.
    pub fn add_subjects<'r>(&self, reaches: impl Iterator<Item = &'r str>) -> Checked {
        let trusted = reaches.map(|reach| TrustedProject {
            folder: self.folder.clone(),
            lines: hash_of([reach]),
        });
        self.change(|file| {
            let new: Vec<_> = trusted.filter(|new| !file.subject.contains(new)).collect();
            file.subject.extend(new);
        })
    }

    fn change(&self, change: impl FnOnce(&mut TrustFile)) -> Checked {
        let mut held = self.hold().map_err(|error| self.unwritten(&error))?;
        let mut file = self.read()?;
        change(&mut file);
        let text =
            toml::to_string(&file).map_err(|error| self.unwritten(&io::Error::other(error)))?;
        Ok(held
            .append(&text)
            .and_then(|()| held.finish(&self.path))
            .map_err(|error| self.unwritten(&error))?)
    }

    /// The next version of the file, once no other process makes one.
    fn hold(&self) -> io::Result<HeldFile> {
        for _ in 0..TRIES {
            if let Some(held) = HeldFile::begin(&self.path.with_extension("toml.new"))? {
                return Ok(held);
            }
            sleep(PAUSE);
        }
        Err(io::Error::new(
            ErrorKind::TimedOut,
            "another process is about to write it",
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
            let title = format!(
                "what you have agreed to cannot be read: {}",
                error.message()
            );
            let finding =
                Diagnostic::error(Code::BadProject, title).about(self.path.display().to_string());
            Box::new(finding.help("mend the file, or remove it: you are asked again then"))
        })
    }

    fn unwritten(&self, error: &io::Error) -> Diagnostic {
        let path = self.path.display().to_string();
        let title = format!("what you have agreed to cannot be kept: {error}");
        let finding = Diagnostic::warning(Code::CannotWrite, title).about(path);
        finding.help("it holds for this run; check the rights of the folder")
    }
}
