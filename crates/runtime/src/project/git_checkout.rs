//! A path in a revision of a git repository: a model, scenarios or a complete project.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Component, Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use super::project::PROJECT_FILE;
use crate::limits::{MAX_MODEL_BYTES, MAX_MODEL_FILES, MAX_PROJECT_BYTES, MAX_PROJECT_FILES};
use fsmsim_dialects::dialect::{companions, model_file, root_markers};
use fsmsim_syntax::diagnostic::{Checked, Code, Diagnostic};
use fsmsim_syntax::files::ReadSandbox;

/// The directory that marks its parent as a project.
const SCENARIOS: &str = "scenarios";
/// The extension of snapshots, which only verdicts need.
const SNAPSHOT: &str = "snap";

/// A path in a git revision, extracted into a temporary directory together with all files that it needs. Dropping the
/// value removes the directory.
#[derive(Debug)]
pub struct GitCheckout {
    folder: PathBuf,
    /// The path in the temporary directory.
    pub path: PathBuf,
    /// The directory of the project that contains the path.
    pub root: PathBuf,
    /// The path of the working directory in the repository.
    prefix: PathBuf,
    name: String,
}

/// A path that was found in a revision, but is not yet extracted.
pub struct GitPath {
    name: String,
    /// The path as the user wrote it.
    path: PathBuf,
    commit: String,
    /// The path in the repository.
    inner: PathBuf,
    prefix: PathBuf,
    /// The path of the project in the repository.
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
    /// Finds `path`, relative to the working directory, in the revision `name`.
    ///
    /// # Errors
    /// Returns the finding if git is missing, or if the revision or the path is unknown.
    pub fn find(name: &str, path: &Path) -> Checked<Self> {
        let refuse = |title: String, help: &str| Box::new(refusal(name, path, title, help));
        let prefix = git(&["rev-parse", "--show-prefix"]).map_err(|error| match error {
            GitError::NoGit(error) => refuse(
                format!("cannot start `git`: {error}"),
                "install git, or use a directory instead",
            ),
            GitError::Refused(reason) => refuse(
                format!("cannot find a git repository: {reason}"),
                "run the command inside a git repository",
            ),
        })?;
        let prefix = PathBuf::from(String::from_utf8_lossy(&prefix).trim_end_matches('\n'));
        let unknown = || {
            refuse(
                format!("unknown revision `{name}`"),
                "use a commit, branch or tag; `git log` shows them",
            )
        };
        let commit = commit_of(name).ok_or_else(unknown)?;
        let missing = |more: &str| {
            refuse(
                format!(
                    "cannot find `{}` in the revision `{name}`{more}",
                    path.display()
                ),
                "use a path relative to the working directory; `git ls-tree -r --name-only REVISION` lists all paths",
            )
        };
        let inner = if path.is_absolute() {
            let top = top_folder().map_err(|_| missing(""))?;
            path.strip_prefix(top)
                .map_err(|_| missing(": it is outside the repository"))?
                .to_path_buf()
        } else {
            prefix.join(path)
        };
        let inner = normal(&inner).ok_or_else(|| missing(": it is outside the repository"))?;
        let failed = |error: GitError| {
            refuse(
                format!("cannot read the revision: {error}"),
                "check the repository with `git fsck`",
            )
        };
        if !may_read(&inner, &prefix) {
            return Err(missing(": it is outside the project"));
        }
        let marks = inner.ancestors().filter(|folder| may_read(folder, &prefix));
        let marks = marks
            .map(|folder| folder.join(PROJECT_FILE))
            .collect::<Vec<_>>();
        let marks = list(&commit, &marks).map_err(failed)?;
        let roots = marks.iter().filter_map(|blob| blob.path.parent());
        // The longest path is the nearest project.
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
            || !list(&found.commit, &[model_file(&found.inner).to_path_buf()])
                .map_err(failed)?
                .is_empty();
        is_there.then_some(found).ok_or_else(|| missing(""))
    }

    /// Whether the path is the directory of a project.
    pub fn is_project(&self) -> bool {
        self.is_project
    }

    /// Extracts a model with all files that belong to it. Skips symbolic links.
    pub fn take_model(&self) -> Checked<GitCheckout> {
        let blobs =
            blobs(&self.commit, &self.inner, &self.prefix).map_err(|error| self.failed(&error))?;
        self.take(
            &blobs,
            (MAX_MODEL_FILES, MAX_MODEL_BYTES),
            "use the directory of the model itself",
        )
    }

    /// Extracts the complete project: the nearest directory with `fsmsim.toml` above the path, otherwise the working
    /// directory. Skips symbolic links and, unless they are wanted, snapshots.
    pub fn take_project(&self, with_snapshots: bool) -> Checked<GitCheckout> {
        let root = if self.inner.starts_with(&self.root) {
            &self.root
        } else {
            Path::new("")
        };
        let mut blobs =
            list(&self.commit, &[root.to_path_buf()]).map_err(|error| self.failed(&error))?;
        blobs.retain(|blob| {
            let mut extension = blob.path.extension().into_iter();
            with_snapshots || extension.all(|extension| extension != SNAPSHOT)
        });
        self.take(
            &blobs,
            (MAX_PROJECT_FILES, MAX_PROJECT_BYTES),
            "add an `fsmsim.toml` to the project directory to limit the files",
        )
    }

    fn failed(&self, error: &GitError) -> Diagnostic {
        self.refuse(
            format!("cannot read the revision: {error}"),
            "check the repository with `git fsck`",
        )
    }

    fn refuse(&self, title: String, help: &str) -> Diagnostic {
        refusal(&self.name, &self.path, title, help)
    }

    /// Writes files of the revision to a temporary directory.
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
                "`{path}` is too large: {} files with {bytes} bytes, limit {max_files} files or {max_bytes} bytes",
                blobs.len()
            );
            return self.refuse(title, help).fail();
        }
        let unwritable = |error: std::io::Error| {
            let title = format!("cannot write the files of the revision: {error}");
            Box::new(
                Diagnostic::error(Code::CannotWrite, title)
                    .about(about(&self.name, &self.path))
                    .help("check the directory for temporary files"),
            )
        };
        let folder = temporary_folder().map_err(unwritable)?;
        // The directory contains no symbolic links.
        ReadSandbox::widen(&folder);
        // From here on, dropping `revision` removes the directory on every path.
        let path = folder.join(&self.inner);
        let root = folder.join(&self.root);
        let prefix = self.prefix.clone();
        let name = self.name.clone();
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

/// The subject of findings.
fn about(name: &str, path: &Path) -> String {
    format!("git:{name}:{}", path.display())
}

fn refusal(name: &str, path: &Path, title: String, help: &str) -> Diagnostic {
    Diagnostic::error(Code::BadRevision, title)
        .about(about(name, path))
        .help(help)
}

impl GitCheckout {
    /// Prefixes of paths in the temporary directory, each with the prefix to display.
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
        // If the directory cannot be removed, the system deletes it with other temporary files.
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// The reason why a git command failed.
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

/// The commit of a revision. Returns `None` if the revision is unknown.
pub fn commit_of(name: &str) -> Option<String> {
    // A name that starts with a dash would be parsed as an option.
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

/// Options that prevent git from starting programs that a repository configures. The repository may be untrusted.
const HARMLESS: [&str; 6] = [
    "--no-pager",
    "--no-optional-locks",
    "-c",
    "core.hooksPath=/dev/null",
    "-c",
    "core.fsmonitor=false",
];

/// A git command that only reads, never prompts and never fetches.
fn harmless_git() -> Command {
    let mut command = Command::new("git");
    command
        .args(HARMLESS)
        .env("GIT_TERMINAL_PROMPT", "0")
        .env("GIT_NO_LAZY_FETCH", "1")
        .env("GIT_ASKPASS", "");
    command
}

/// The paths of the files that git tracks and that differ from a commit, from the root of the repository. Each path ends
/// with a zero byte.
pub(super) fn edited_files(commit: &str) -> Result<Vec<u8>, GitError> {
    git_of_files(&[
        "-c",
        "diff.relative=false",
        "diff",
        "--name-only",
        "-z",
        "--no-renames",
        "--no-ext-diff",
        "--no-textconv",
        // Otherwise git would run in each submodule with the submodule's own configuration.
        "--ignore-submodules=all",
        commit,
        "--",
    ])
}

/// The output of a git command that reads the working tree. A repository can configure filter programs for files. They
/// are disabled, so a file that only differs without its filter counts as changed.
fn git_of_files(arguments: &[&str]) -> Result<Vec<u8>, GitError> {
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
        // On the command line, a filter name could obscure where the key ends.
        command
            .env(format!("GIT_CONFIG_KEY_{count}"), key)
            .env(format!("GIT_CONFIG_VALUE_{count}"), value);
        count += 1;
    }
    command.env("GIT_CONFIG_COUNT", count.to_string());
    output_of(command.args(arguments))
}

/// The directory of the repository.
pub(super) fn top_folder() -> Result<PathBuf, GitError> {
    let top = git(&["rev-parse", "--show-toplevel"])?;
    Ok(PathBuf::from(
        String::from_utf8_lossy(&top).trim_end_matches('\n'),
    ))
}

/// The output of a git command.
pub(super) fn git(arguments: &[&str]) -> Result<Vec<u8>, GitError> {
    output_of(harmless_git().args(arguments))
}

fn output_of(git: &mut Command) -> Result<Vec<u8>, GitError> {
    let output = git.stdin(Stdio::null()).output().map_err(GitError::NoGit)?;
    if output.status.success() {
        return Ok(output.stdout);
    }
    let reason = String::from_utf8_lossy(&output.stderr);
    let reason = reason.lines().next().unwrap_or_default();
    Err(GitError::Refused(
        reason.trim_start_matches("fatal: ").to_owned(),
    ))
}

/// Reads the contents of files from one running git process.
struct BlobReader {
    git: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
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
        let (Some(input), Some(output)) = pipes else {
            return Err(GitError::Refused("the process has no pipes".to_owned()));
        };
        Ok(Self {
            git,
            input,
            output: BufReader::new(output),
        })
    }

    fn read(&mut self, blob: &Blob) -> Result<Vec<u8>, GitError> {
        let mut content = || {
            writeln!(self.input, "{}", blob.id)?;
            self.input.flush()?;
            let mut head = String::new();
            self.output.read_line(&mut head)?;
            // The answer is `ID blob SIZE`, the content, and a line break.
            let size: u64 = head
                .rsplit(' ')
                .next()
                .and_then(|size| size.trim().parse().ok())
                .unwrap_or(u64::MAX);
            if size != blob.size {
                return Err(std::io::ErrorKind::InvalidData.into());
            }
            let mut content = Vec::new();
            (&mut self.output)
                .take(size + 1)
                .read_to_end(&mut content)?;
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

/// Whether a path in the repository may be read. The read sandbox allows only paths in the working directory at
/// `prefix`.
fn may_read(path: &Path, prefix: &Path) -> bool {
    !ReadSandbox::is_raised() || path.starts_with(prefix)
}

/// The files of a commit that belong to the model at `path`.
fn blobs(commit: &str, path: &Path, prefix: &Path) -> Result<Vec<Blob>, GitError> {
    let mut markers = root_markers(path);
    markers.retain(|marker| may_read(marker, prefix));
    let found = list(commit, &markers)?;
    let marker = markers
        .iter()
        .find(|marker| found.iter().any(|blob| blob.path == **marker));
    let related = companions(path, marker.map(PathBuf::as_path));
    let mut wanted = vec![model_file(path).to_path_buf()];
    wanted.extend(
        related
            .iter()
            .filter_map(|path| normal(path))
            .filter(|path| may_read(path, prefix)),
    );
    // Git lists a path twice if its directory is requested too.
    let mut blobs = list(commit, &wanted)?;
    blobs.sort_by(|one, other| one.path.cmp(&other.path));
    blobs.dedup_by(|one, other| one.path == other.path);
    Ok(blobs)
}

/// The files of a commit under these paths.
fn list(commit: &str, paths: &[PathBuf]) -> Result<Vec<Blob>, GitError> {
    let mut arguments = vec!["ls-tree", "-r", "-l", "-z", "--full-tree", commit, "--"];
    // An empty path means the complete repository, which is listed without a path.
    if paths.iter().all(|path| !path.as_os_str().is_empty()) {
        arguments.extend(paths.iter().filter_map(|path| path.to_str()));
    }
    let listed = git(&arguments)?;
    let listed = String::from_utf8_lossy(&listed);
    let blob = |line: &str| {
        let (head, path) = line.split_once('\t')?;
        let mut words = head.split_whitespace();
        let mode = words.next()?;
        let kind = words.next()?;
        let id = words.next()?;
        let size = words.next()?;
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

/// A path without `.` and `..`. Returns `None` if it leaves its base directory.
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

/// Creates a directory for temporary files of this process.
pub fn temporary_folder() -> std::io::Result<PathBuf> {
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
    fn normal_rejects_paths_outside_the_base() {
        let shown = |path: &str| normal(Path::new(path)).map(|path| path.display().to_string());
        assert_eq!(shown("a/./b/../c"), Some("a/c".to_owned()));
        assert_eq!(shown("."), Some(String::new()));
        assert_eq!(
            (shown("../a"), shown("a/../../b"), shown("/a")),
            (None, None, None)
        );
    }
}
