//! A model as it was in a revision of a git repository.

use std::path::{Component, Path, PathBuf};
use std::process::Command;

use crate::diagnostic::{Code, Diagnostic};
use crate::dialect::{companions, root_markers};

/// Files that are taken out of a revision at most.
const MAX_FILES: usize = 2000;
/// Bytes that are taken out of a revision at most.
const MAX_BYTES: u64 = 64 << 20;

/// A model as it was in a revision of the repository of the working directory: taken out into a folder of its own, with
/// what it needs. The folder is gone when this is.
#[derive(Debug)]
pub struct GitCheckout {
    folder: PathBuf,
    /// The path of the model in that folder.
    pub model: PathBuf,
    /// Where the working directory is in the repository.
    prefix: PathBuf,
    name: String,
}

/// A file of a revision.
struct Blob {
    path: PathBuf,
    id: String,
    size: u64,
}

impl GitCheckout {
    /// Takes `path`, seen from the working directory, out of the revision `name`: with what belongs to it. Links
    /// are passed over.
    ///
    /// # Errors
    /// The finding about a git that is not there, a revision that is not known, a path that is not in it.
    pub fn take(name: &str, path: &Path) -> Result<Self, Box<Diagnostic>> {
        let about = format!("git:{name}:{}", path.display());
        let refuse = |title: String, help: &str| {
            Box::new(Diagnostic::error(Code::BadRevision, title).about(about.clone()).help(help))
        };
        let prefix = git(&["rev-parse", "--show-prefix"]).map_err(|error| match error {
            GitError::NoGit(error) => {
                refuse(format!("`git` cannot be started: {error}"), "install git, or name a folder instead")
            }
            GitError::Refused(reason) => {
                refuse(format!("git does not find a repository here: {reason}"), "run it inside of a git repository")
            }
        })?;
        let prefix = PathBuf::from(String::from_utf8_lossy(&prefix).trim_end_matches('\n'));
        let unknown = || {
            refuse(
                format!("the repository has no revision `{name}`"),
                "name a commit, branch or tag, as `git log` shows them",
            )
        };
        // A name that begins with a dash would be an option.
        if name.is_empty() || name.starts_with('-') {
            return Err(unknown());
        }
        let commit = git(&["rev-parse", "--verify", "--quiet", &format!("{name}^{{commit}}")]);
        let commit = commit.map_err(|_| unknown())?;
        let commit = String::from_utf8_lossy(&commit).trim().to_owned();
        let missing = |more: &str| {
            refuse(
                format!("the revision `{name}` has no `{}`{more}", path.display()),
                "the path is seen from the working directory; `git ls-tree -r --name-only REVISION` lists all paths",
            )
        };
        let inner = if path.is_absolute() {
            let top = git(&["rev-parse", "--show-toplevel"]).map_err(|_| missing(""))?;
            let top = String::from_utf8_lossy(&top).trim_end_matches('\n').to_owned();
            path.strip_prefix(top).map_err(|_| missing(": it lies outside of the repository"))?.to_path_buf()
        } else {
            prefix.join(path)
        };
        let inner = normal(&inner).ok_or_else(|| missing(": it lies outside of the repository"))?;
        let failed = |error: GitError| refuse(format!("git cannot read the revision: {error}"), "run `git fsck`");
        let blobs = blobs(&commit, &inner).map_err(failed)?;
        if !blobs.iter().any(|blob| blob.path.starts_with(&inner)) {
            return Err(missing(""));
        }
        let bytes: u64 = blobs.iter().map(|blob| blob.size).sum();
        if blobs.len() > MAX_FILES || bytes > MAX_BYTES {
            let title = format!("`{}` has {} files with {bytes} bytes in that revision", path.display(), blobs.len());
            return Err(refuse(title, "name the folder of the model itself"));
        }
        let unwritable = |error: std::io::Error| {
            let title = format!("the files of the revision cannot be written: {error}");
            Box::new(
                Diagnostic::error(Code::CannotWrite, title)
                    .about(about.clone())
                    .help("check the folder of temporary files"),
            )
        };
        let folder = new_folder().map_err(unwritable)?;
        // From here on the folder is gone whatever happens.
        let revision = Self { model: folder.join(&inner), folder, prefix, name: name.to_owned() };
        for blob in &blobs {
            let content = git(&["cat-file", "blob", &blob.id]).map_err(failed)?;
            let file = revision.folder.join(&blob.path);
            let above = file.parent().unwrap_or(&revision.folder);
            std::fs::create_dir_all(above).map_err(unwritable)?;
            std::fs::write(&file, content).map_err(unwritable)?;
        }
        Ok(revision)
    }

    /// How paths in the folder begin, and how people should see them begin.
    pub fn names(&self) -> Vec<(String, String)> {
        let begin = |folder: &Path| format!("{}/", folder.display());
        let inner = self.folder.join(&self.prefix);
        let inner = inner.components().collect::<PathBuf>();
        vec![(begin(&inner), format!("git:{}:", self.name)), (begin(&self.folder), format!("git:{}:/", self.name))]
    }
}

impl Drop for GitCheckout {
    fn drop(&mut self) {
        // Where it cannot be removed, the system clears it away with other temporary files.
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// Why git gave nothing.
enum GitError {
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

/// What a git command writes.
fn git(arguments: &[&str]) -> Result<Vec<u8>, GitError> {
    let output = Command::new("git").args(arguments).stdin(std::process::Stdio::null()).output();
    let output = output.map_err(GitError::NoGit)?;
    if output.status.success() {
        return Ok(output.stdout);
    }
    let reason = String::from_utf8_lossy(&output.stderr);
    let reason = reason.lines().next().unwrap_or_default();
    Err(GitError::Refused(reason.trim_start_matches("fatal: ").to_owned()))
}

/// The files of a commit that belong to the model at `path`.
fn blobs(commit: &str, path: &Path) -> Result<Vec<Blob>, GitError> {
    let markers = root_markers(path);
    let found = list(commit, &markers)?;
    let marker = markers.iter().find(|marker| found.iter().any(|blob| blob.path == **marker));
    let beside = companions(path, marker.map(PathBuf::as_path));
    let mut wanted = vec![path.to_path_buf()];
    wanted.extend(beside.iter().filter_map(|path| normal(path)));
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
        is_file.then_some(Blob { path, id: id.to_owned(), size: size.parse().ok()? })
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
        assert_eq!((shown("../a"), shown("a/../../b"), shown("/a")), (None, None, None));
    }
}
