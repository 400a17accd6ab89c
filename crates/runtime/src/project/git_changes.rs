//! Files that changed since a revision of the git repository.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::git_checkout::{GitError, commit_of, edited_files, git, top_folder};
use fsmsim_syntax::diagnostic::{Checked, Code, Diagnostic, SourceMap};
use fsmsim_syntax::files::real_path;

/// The edited, new or deleted files since a revision of the git repository that contains the working directory.
#[derive(Clone, Debug)]
pub struct GitChanges {
    /// Absolute paths.
    files: BTreeSet<PathBuf>,
}

impl GitChanges {
    /// The files that changed since the revision `name`. Excludes files that git ignores.
    ///
    /// # Errors
    /// Returns the finding if git or the repository is missing, or if the revision is unknown.
    pub fn since(name: &str) -> Checked<Self> {
        let failed = |error: GitError| {
            let title = format!("cannot list the changes since `{name}`: {error}");
            Box::new(
                Diagnostic::error(Code::BadRevision, title)
                    .help("run the command inside a git repository"),
            )
        };
        let top = top_folder().map_err(failed)?;
        let commit = commit_of(name).ok_or_else(|| {
            let finding = Diagnostic::unknown(Code::BadRevision, "revision", name);
            Box::new(finding.help("use a commit, branch or tag; `git log` shows them"))
        })?;
        let shown = top.to_string_lossy();
        let new = [
            "-C",
            &shown,
            "ls-files",
            "-z",
            "--others",
            "--exclude-standard",
        ];
        let mut files = BTreeSet::new();
        for listed in [edited_files(&commit), git(&new)] {
            files.extend(paths_of(&listed.map_err(failed)?, &top));
        }
        Ok(Self { files })
    }

    /// Whether a file changed.
    pub fn has(&self, path: &Path) -> bool {
        self.files.contains(&real_path(path))
    }

    /// Whether the source files may have changed: one of them changed, or a file was deleted that might have been one
    /// of them.
    pub fn may_touch(&self, made_from: &SourceMap) -> bool {
        made_from
            .used_files()
            .any(|source| self.has(Path::new(source.path())))
            || self.files.iter().any(|file| !file.exists())
    }

    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }
}

/// The real paths of the files that git tracks and that differ from a revision. Empty without a repository.
pub(super) fn edited_paths(revision: &str) -> BTreeSet<PathBuf> {
    let top = top_folder().unwrap_or_default();
    paths_of(&edited_files(revision).unwrap_or_default(), &top)
}

/// The real paths of the files below a directory that git tracks. Empty without a repository.
pub fn tracked_files(folder: &Path) -> BTreeSet<PathBuf> {
    let shown = folder.to_string_lossy();
    // Not `-C`: a git hook sets paths in the environment that are relative to the working directory.
    let listed = git(&["--literal-pathspecs", "ls-files", "-z", "--", &shown]);
    paths_of(&listed.unwrap_or_default(), Path::new(""))
}

/// The real paths in a list that git writes with `-z`, relative to a directory.
fn paths_of(listed: &[u8], folder: &Path) -> BTreeSet<PathBuf> {
    let listed = String::from_utf8_lossy(listed);
    let paths = listed.split('\0').filter(|path| !path.is_empty());
    paths.map(|path| real_path(&folder.join(path))).collect()
}
