//! What changed since a revision of the git repository.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::git_checkout::{GitError, commit_of, git, git_of_files};
use fsmsim_syntax::diagnostic::{Checked, Code, Diagnostic, SourceMap};
use fsmsim_syntax::files::real_path;

/// The files that are not as in a revision of the repository of the working directory: edited, new, or gone.
#[derive(Clone, Debug)]
pub struct GitChanges {
    /// From the root of the file system.
    files: BTreeSet<PathBuf>,
}

impl GitChanges {
    /// What changed since the revision `name`. Files that git ignores are not looked at.
    ///
    /// # Errors
    /// The finding about a git or a repository that is not there, and a revision that is not known.
    pub fn since(name: &str) -> Checked<Self> {
        let failed = |error: GitError| {
            let title = format!("git cannot tell what changed since `{name}`: {error}");
            Box::new(
                Diagnostic::error(Code::BadRevision, title)
                    .help("run it inside of a git repository"),
            )
        };
        let top = git(&["rev-parse", "--show-toplevel"]).map_err(failed)?;
        let top = PathBuf::from(String::from_utf8_lossy(&top).trim_end_matches('\n'));
        let commit = commit_of(name).ok_or_else(|| {
            let title = format!("the repository has no revision `{name}`");
            let finding = Diagnostic::error(Code::BadRevision, title);
            Box::new(finding.help("name a commit, branch or tag, as `git log` shows them"))
        })?;
        let shown = top.to_string_lossy();
        let edited = [
            "-C",
            &shown,
            "diff",
            "--name-only",
            "-z",
            "--no-renames",
            "--no-ext-diff",
            "--no-textconv",
            // Git would be started in each, with what its repository says.
            "--ignore-submodules=all",
            &commit,
            "--",
        ];
        let new = [
            "-C",
            &shown,
            "ls-files",
            "-z",
            "--others",
            "--exclude-standard",
        ];
        let mut files = BTreeSet::new();
        for listed in [git_of_files(&edited), git(&new)] {
            let listed = listed.map_err(failed)?;
            let listed = String::from_utf8_lossy(&listed).into_owned();
            files.extend(
                listed
                    .split('\0')
                    .filter(|path| !path.is_empty())
                    .map(|path| real_path(&top.join(path))),
            );
        }
        Ok(Self { files })
    }

    /// Whether a file is not as it was.
    pub fn has(&self, path: &Path) -> bool {
        self.files.contains(&real_path(path))
    }

    /// Whether what was made from these files may have been made from others: one changed, or one is gone that is not
    /// among them.
    pub fn may_touch(&self, made_from: &SourceMap) -> bool {
        made_from
            .used_files()
            .any(|source| self.has(Path::new(source.path())))
            || self.files.iter().any(|file| !file.exists())
    }

    /// Whether nothing changed.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }
}
