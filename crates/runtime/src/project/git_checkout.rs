//! A path as it was in a revision of a git repository: a model, scenarios, or a whole project.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Component, Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use super::project::PROJECT_FILE;
use crate::limits::{MAX_MODEL_BYTES, MAX_MODEL_FILES, MAX_PROJECT_BYTES, MAX_PROJECT_FILES};
use fsmsim_dialects::dialect::{companions, root_markers};
use fsmsim_syntax::diagnostic::{Checked, Code, Diagnostic};
use fsmsim_syntax::files::ReadFence;

/// The folder that makes its folder a project, too.
const SCENARIOS: &str = "scenarios";
/// The ending of snapshots, which nobody looks at in a revision.
const SNAPSHOT: &str = "snap";

/// A path as it was in a revision of the repository of the working directory: taken out into a folder of its own, with
/// what it needs. The folder is gone when this is.
#[derive(Debug)]
pub struct GitCheckout {
    folder: PathBuf,
    /// The path in that folder.
    pub path: PathBuf,
    /// The folder of the project to which it belongs.
    pub root: PathBuf,
    /// Where the working directory is in the repository.
    prefix: PathBuf,
    name: String,
}

/// A path in a revision, found and not yet taken out.
pub struct GitPath {
    name: String,
    /// As it was named.
    path: PathBuf,
    commit: String,
    /// The path in the repository.
    inner: PathBuf,
    prefix: PathBuf,
    /// Where its project is in the repository.
    root: PathBuf,
    is_project: bool,
}

/// A file of a revision.
struct Blob {
    path: PathBuf,
    id: String,
    size: u64,
}

impl GitPath {
    /// Finds `path`, seen from the working directory, in the revision `name`.
    ///
    /// # Errors
    /// The finding about a git that is not there, a revision that is not known, a path that is not in it.
    pub fn find(name: &str, path: &Path) -> Checked<Self> {
        let refuse = |title: String, help: &str| Box::new(refusal(name, path, title, help));
        let prefix = git(&["rev-parse", "--show-prefix"]).map_err(|error| match error {
            GitError::NoGit(error) => refuse(
                format!("`git` cannot be started: {error}"),
                "install git, or name a folder instead",
            ),
            GitError::Refused(reason) => refuse(
                format!("git does not find a repository here: {reason}"),
                "run it inside of a git repository",
            ),
        })?;
        let prefix = PathBuf::from(String::from_utf8_lossy(&prefix).trim_end_matches('\n'));
        let unknown = || {
            refuse(
                format!("the repository has no revision `{name}`"),
                "name a commit, branch or tag, as `git log` shows them",
            )
        };
        let commit = commit_of(name).ok_or_else(unknown)?;
        let missing = |more: &str| {
            refuse(
                format!("the revision `{name}` has no `{}`{more}", path.display()),
                "the path is seen from the working directory; `git ls-tree -r --name-only REVISION` lists all paths",
            )
        };
        let inner = if path.is_absolute() {
            let top = git(&["rev-parse", "--show-toplevel"]).map_err(|_| missing(""))?;
            let top = String::from_utf8_lossy(&top)
                .trim_end_matches('\n')
                .to_owned();
            path.strip_prefix(top)
                .map_err(|_| missing(": it lies outside of the repository"))?
                .to_path_buf()
        } else {
            prefix.join(path)
        };
        let inner = normal(&inner).ok_or_else(|| missing(": it lies outside of the repository"))?;
        let failed = |error: GitError| {
            refuse(
                format!("git cannot read the revision: {error}"),
                "run `git fsck`",
            )
        };
        if !may_read(&inner, &prefix) {
            return Err(missing(": it lies outside of the project"));
        }
        let marks = inner.ancestors().filter(|folder| may_read(folder, &prefix));
        let marks = marks
            .map(|folder| folder.join(PROJECT_FILE))
            .collect::<Vec<_>>();
        let marks = list(&commit, &marks).map_err(failed)?;
        let roots = marks.iter().filter_map(|blob| blob.path.parent());
        // The one that is nearest is the longest.
        let root = roots
            .max_by_key(|root| root.components().count())
            .map(Path::to_path_buf);
        let is_project = match &root {
            Some(root) => *root == inner,
            None => !list(&commit, &[inner.join(SCENARIOS)])
                .map_err(failed)?
                .is_empty(),
        };
        let above = || {
            if is_project {
                inner.clone()
            } else {
                normal(&prefix).unwrap_or_default()
            }
        };
        let root = root.unwrap_or_else(above);
        let found = Self {
            name: name.to_owned(),
            path: path.to_path_buf(),
            commit,
            inner,
            prefix,
            root,
            is_project,
        };
        let is_there = found.is_project
            || !list(&found.commit, std::slice::from_ref(&found.inner))
                .map_err(failed)?
                .is_empty();
        is_there.then_some(found).ok_or_else(|| missing(""))
    }

    /// Whether it is the folder of a project.
    pub fn is_project(&self) -> bool {
        self.is_project
    }

    /// Takes it out as a model, with what belongs to it. Links are passed over.
    pub fn take_model(&self) -> Checked<GitCheckout> {
        let blobs =
            blobs(&self.commit, &self.inner, &self.prefix).map_err(|error| self.failed(&error))?;
        self.take(
            &blobs,
            (MAX_MODEL_FILES, MAX_MODEL_BYTES),
            "name the folder of the model itself",
        )
    }

    /// Takes it out with all of its project: the nearest folder with `fsmsim.toml` above it, else the working directory.
    /// Links are passed over, and so are snapshots.
    pub fn take_project(&self) -> Checked<GitCheckout> {
        let root = if self.inner.starts_with(&self.root) {
            &self.root
        } else {
            Path::new("")
        };
        let mut blobs =
            list(&self.commit, &[root.to_path_buf()]).map_err(|error| self.failed(&error))?;
        blobs.retain(|blob| {
            blob.path
                .extension()
                .is_none_or(|extension| extension != SNAPSHOT)
        });
        self.take(
            &blobs,
            (MAX_PROJECT_FILES, MAX_PROJECT_BYTES),
            "put an `fsmsim.toml` into the folder of the project, so that no more is taken",
        )
    }

    fn failed(&self, error: &GitError) -> Diagnostic {
        self.refuse(
            format!("git cannot read the revision: {error}"),
            "run `git fsck`",
        )
    }

    fn refuse(&self, title: String, help: &str) -> Diagnostic {
        refusal(&self.name, &self.path, title, help)
    }

    /// Writes files of the revision into a folder of their own.
    fn take(
        &self,
        blobs: &[Blob],
        (max_files, max_bytes): (usize, u64),
        help: &str,
    ) -> Checked<GitCheckout> {
        let bytes: u64 = blobs.iter().map(|blob| blob.size).sum();
        if blobs.len() > max_files || bytes > max_bytes {
            let path = self.path.display();
            let title = format!(
                "`{path}` has {} files with {bytes} bytes in that revision",
                blobs.len()
            );
            return self.refuse(title, help).fail();
        }
        let unwritable = |error: std::io::Error| {
            let title = format!("the files of the revision cannot be written: {error}");
            Box::new(
                Diagnostic::error(Code::CannotWrite, title)
                    .about(about(&self.name, &self.path))
                    .help("check the folder of temporary files"),
            )
        };
        let folder = new_folder().map_err(unwritable)?;
        // It holds no links.
        ReadFence::widen(&folder);
        // From here on the folder is gone whatever happens.
        let (path, root) = (folder.join(&self.inner), folder.join(&self.root));
        let (prefix, name) = (self.prefix.clone(), self.name.clone());
        let revision = GitCheckout {
            folder,
            path,
            root,
            prefix,
            name,
        };
        let mut contents = BlobReader::start().map_err(|error| self.failed(&error))?;
        for blob in blobs {
            let content = contents.read(blob).map_err(|error| self.failed(&error))?;
            let file = revision.folder.join(&blob.path);
            let above = file.parent().unwrap_or(&revision.folder);
            std::fs::create_dir_all(above).map_err(unwritable)?;
            std::fs::write(&file, content).map_err(unwritable)?;
        }
        Ok(revision)
    }
}

/// What findings are about.
fn about(name: &str, path: &Path) -> String {
    format!("git:{name}:{}", path.display())
}

fn refusal(name: &str, path: &Path, title: String, help: &str) -> Diagnostic {
    Diagnostic::error(Code::BadRevision, title)
        .about(about(name, path))
        .help(help)
}

impl GitCheckout {
    /// How paths in the folder begin, and how people should see them begin.
    pub fn names(&self) -> Vec<(String, String)> {
        let begin = |folder: &Path| format!("{}/", folder.display());
        let inner = self.folder.join(&self.prefix);
        let inner = inner.components().collect::<PathBuf>();
        vec![
            (begin(&inner), format!("git:{}:", self.name)),
            (begin(&self.folder), format!("git:{}:/", self.name)),
        ]
    }
}

impl Drop for GitCheckout {
    fn drop(&mut self) {
        // Where it cannot be removed, the system clears it away with other temporary files.
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// Why git gave nothing.
pub(super) enum GitError {
    NoGit(std::io::Error),
    Refused(String),
}

impl std::fmt::Display for GitError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::NoGit(error) => error.fmt(f),
            Self::Refused(reason) => reason.fmt(f),
        }
    }
}

/// The commit of a revision; nothing where there is none of this name.
pub(super) fn commit_of(name: &str) -> Option<String> {
    // A name that begins with a dash would be an option.
    if name.is_empty() || name.starts_with('-') {
        return None;
    }
    let commit = git(&[
        "rev-parse",
        "--verify",
        "--quiet",
        "--end-of-options",
        &format!("{name}^{{commit}}"),
    ])
    .ok()?;
    Some(String::from_utf8_lossy(&commit).trim().to_owned())
}

/// What keeps git from starting anything that a repository names: it may come from anywhere.
const HARMLESS: [&str; 6] = [
    "--no-pager",
    "--no-optional-locks",
    "-c",
    "core.hooksPath=/dev/null",
    "-c",
    "core.fsmonitor=false",
];

/// Git, which only reads, asks nobody anything, and fetches nothing.
fn harmless_git() -> Command {
    let mut command = Command::new("git");
    command
        .args(HARMLESS)
        .env("GIT_TERMINAL_PROMPT", "0")
        .env("GIT_NO_LAZY_FETCH", "1")
        .env("GIT_ASKPASS", "");
    command
}

/// What a git command writes that looks at files as they are now. A repository may name programs through which git sends
/// them first: they are not started, so that a file counts as changed that only they would make what it was.
pub(super) fn git_of_files(arguments: &[&str]) -> Result<Vec<u8>, GitError> {
    let listed = git(&["config", "--null", "--name-only", "--list"])?;
    let listed = String::from_utf8_lossy(&listed).into_owned();
    let filters = listed
        .split('\0')
        .filter_map(|key| key.strip_prefix("filter.")?.rsplit_once('.'));
    let filters: BTreeSet<&str> = filters.map(|(name, _)| name).collect();
    let off = filters.iter().flat_map(|name| {
        [
            ("clean", ""),
            ("smudge", ""),
            ("process", ""),
            ("required", "false"),
        ]
        .map(|(key, value)| (format!("filter.{name}.{key}"), value))
    });
    let mut command = harmless_git();
    let mut count = 0;
    for (key, value) in off {
        // On the command line the name of a filter could hide where the key ends.
        command
            .env(format!("GIT_CONFIG_KEY_{count}"), key)
            .env(format!("GIT_CONFIG_VALUE_{count}"), value);
        count += 1;
    }
    command.env("GIT_CONFIG_COUNT", count.to_string());
    output_of(command.args(arguments))
}

/// What a git command writes.
pub(super) fn git(arguments: &[&str]) -> Result<Vec<u8>, GitError> {
    output_of(harmless_git().args(arguments))
}

fn output_of(git: &mut Command) -> Result<Vec<u8>, GitError> {
    let output = git.stdin(Stdio::null()).output();
    let output = output.map_err(GitError::NoGit)?;
    if output.status.success() {
        return Ok(output.stdout);
    }
    let reason = String::from_utf8_lossy(&output.stderr);
    let reason = reason.lines().next().unwrap_or_default();
    Err(GitError::Refused(
        reason.trim_start_matches("fatal: ").to_owned(),
    ))
}

/// Contents of files, read from one git that is asked for one after the other.
struct BlobReader {
    git: Child,
    asked: ChildStdin,
    told: BufReader<ChildStdout>,
}

impl BlobReader {
    fn start() -> Result<Self, GitError> {
        let mut command = harmless_git();
        command
            .args(["cat-file", "--batch"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        let mut git = command.spawn().map_err(GitError::NoGit)?;
        let pipes = (git.stdin.take(), git.stdout.take());
        let (Some(asked), Some(told)) = pipes else {
            return Err(GitError::Refused("it cannot be asked".to_owned()));
        };
        Ok(Self {
            git,
            asked,
            told: BufReader::new(told),
        })
    }

    fn read(&mut self, blob: &Blob) -> Result<Vec<u8>, GitError> {
        let mut content = || {
            writeln!(self.asked, "{}", blob.id)?;
            self.asked.flush()?;
            let mut head = String::new();
            self.told.read_line(&mut head)?;
            // `ID blob SIZE`, the content, and a line break.
            let size: u64 = head
                .rsplit(' ')
                .next()
                .and_then(|size| size.trim().parse().ok())
                .unwrap_or(u64::MAX);
            if size != blob.size {
                return Err(std::io::ErrorKind::InvalidData.into());
            }
            let mut content = Vec::new();
            (&mut self.told).take(size + 1).read_to_end(&mut content)?;
            content.pop();
            Ok(content)
        };
        content().map_err(|error: std::io::Error| GitError::Refused(error.to_string()))
    }
}

impl Drop for BlobReader {
    fn drop(&mut self) {
        let _ = self.git.kill();
        let _ = self.git.wait();
    }
}

/// Whether a path of the repository may be read, where the working directory is at `prefix`: with a fence around that, nothing
/// above it.
fn may_read(path: &Path, prefix: &Path) -> bool {
    !ReadFence::is_raised() || path.starts_with(prefix)
}

/// The files of a commit that belong to the model at `path`.
fn blobs(commit: &str, path: &Path, prefix: &Path) -> Result<Vec<Blob>, GitError> {
    let mut markers = root_markers(path);
    markers.retain(|marker| may_read(marker, prefix));
    let found = list(commit, &markers)?;
    let marker = markers
        .iter()
        .find(|marker| found.iter().any(|blob| blob.path == **marker));
    let beside = companions(path, marker.map(PathBuf::as_path));
    let mut wanted = vec![path.to_path_buf()];
    wanted.extend(
        beside
            .iter()
            .filter_map(|path| normal(path))
            .filter(|path| may_read(path, prefix)),
    );
    // Git lists a path twice that stands in a folder which is asked for too.
    let mut blobs = list(commit, &wanted)?;
    blobs.sort_by(|one, other| one.path.cmp(&other.path));
    blobs.dedup_by(|one, other| one.path == other.path);
    Ok(blobs)
}

/// The files of a commit under these paths.
fn list(commit: &str, paths: &[PathBuf]) -> Result<Vec<Blob>, GitError> {
    let mut arguments = vec!["ls-tree", "-r", "-l", "-z", "--full-tree", commit, "--"];
    // The repository itself is asked for by no path.
    if paths.iter().all(|path| !path.as_os_str().is_empty()) {
        arguments.extend(paths.iter().filter_map(|path| path.to_str()));
    }
    let listed = git(&arguments)?;
    let listed = String::from_utf8_lossy(&listed);
    let blob = |line: &str| {
        let (head, path) = line.split_once('\t')?;
        let mut words = head.split_whitespace();
        let (mode, kind, id, size) = (words.next()?, words.next()?, words.next()?, words.next()?);
        let path = normal(Path::new(path))?;
        let is_file = kind == "blob" && mode.starts_with("100");
        is_file.then_some(Blob {
            path,
            id: id.to_owned(),
            size: size.parse().ok()?,
        })
    };
    Ok(listed.split('\0').filter_map(blob).collect())
}

/// A path without `.` and `..`; nothing where it leads out of the folder it starts in.
fn normal(path: &Path) -> Option<PathBuf> {
    let mut normal = PathBuf::new();
    for part in path.components() {
        match part {
            Component::Normal(name) => normal.push(name),
            Component::CurDir => {}
            Component::ParentDir => {
                if !normal.pop() {
                    return None;
                }
            }
            Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    Some(normal)
}

/// A new folder among the temporary files, which only this process knows.
fn new_folder() -> std::io::Result<PathBuf> {
    let process = std::process::id();
    for number in 0..1000 {
        let folder = std::env::temp_dir().join(format!("fsmsim-{process}-{number}"));
        match std::fs::create_dir(&folder) {
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
            Ok(()) => return Ok(folder),
        }
    }
    Err(std::io::ErrorKind::AlreadyExists.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_path_leads_out_of_its_folder() {
        let shown = |path: &str| normal(Path::new(path)).map(|path| path.display().to_string());
        assert_eq!(shown("a/./b/../c"), Some("a/c".to_owned()));
        assert_eq!(shown("."), Some(String::new()));
        assert_eq!(
            (shown("../a"), shown("a/../../b"), shown("/a")),
            (None, None, None)
        );
    }
}
