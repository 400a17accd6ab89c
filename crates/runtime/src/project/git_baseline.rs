//! The revision with which the models of a checkout are compared.

use std::path::Path;

use super::git_changes::edited_paths;
use super::git_checkout::{GitPath, commit_of, git};
use super::project::PROJECT_FILE;
use fsmsim_dialects::dialect::{Loader, is_definition};
use fsmsim_syntax::diagnostic::{Checked, Code, Diagnostic};
use fsmsim_syntax::document::is_yaml;
use fsmsim_syntax::files::InputFiles;

/// The variables in which CI services name the target of a pull request, each with the prefix of a fetched branch.
const TARGETS: [(&str, &str); 3] = [
    ("CI_MERGE_REQUEST_DIFF_BASE_SHA", ""),
    ("GITHUB_BASE_REF", "origin/"),
    ("BITBUCKET_PR_DESTINATION_BRANCH", "origin/"),
];
/// The default branch of the upstream repository.
const DEFAULT_BRANCH: &str = "origin/HEAD";
const HEAD: &str = "HEAD";
const PARENT: &str = "HEAD^";

/// The length of a shown commit.
const SHOWN_COMMIT: usize = 12;

/// The revision with which the models of a checkout are compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GitBaseline {
    pub revision: String,
    /// The better revision that the clone does not contain.
    missing: Option<String>,
}

impl GitBaseline {
    /// The revision that the user named. In a shallow clone, it can be missing.
    ///
    /// # Errors
    /// Returns an error if git is not available, or if the revision is unknown in a complete clone.
    pub fn named(revision: &str) -> Checked<Self> {
        let name = revision.to_owned();
        match GitPath::find(revision, Path::new(".")) {
            Err(finding) if !is_shallow() => Err(finding),
            found => Ok(Self {
                missing: found.is_err().then(|| name.clone()),
                revision: name,
            }),
        }
    }

    /// The revision for this checkout. If a file in `folder` that decides behavior was edited since the last commit, it
    /// is `HEAD`. Otherwise, it is the commit at which the branch left its target branch, or else the parent of the last
    /// commit.
    pub fn find(folder: &Path, is_scenario: &dyn Fn(&Path) -> bool) -> Self {
        let at = |revision: &str| Self {
            revision: revision.to_owned(),
            missing: None,
        };
        let without = |missing: String| Self {
            missing: Some(missing),
            ..at(HEAD)
        };
        let Some(head) = commit_of(HEAD).filter(|_| !is_edited(folder, is_scenario)) else {
            return at(HEAD);
        };
        let target = TARGETS.iter().find_map(|(variable, prefix)| {
            let name = std::env::var(variable).ok();
            let name = name.filter(|name| !name.is_empty())?;
            Some((format!("{prefix}{name}"), name))
        });
        let base = match target {
            None => merge_base(DEFAULT_BRANCH),
            Some((fetched, name)) => {
                let base = merge_base(&fetched).or_else(|| merge_base(&name));
                // A pull request can be checked out as a merge into its target.
                let base = base.or_else(|| commit_of("HEAD^2").and(commit_of(PARENT)));
                match base {
                    None => return without(fetched),
                    base => base,
                }
            }
        };
        match base
            .filter(|base| *base != head)
            .or_else(|| commit_of(PARENT))
        {
            Some(base) => at(base.get(..SHOWN_COMMIT).unwrap_or(&base)),
            None if is_shallow() => without(PARENT.to_owned()),
            None => at(HEAD),
        }
    }

    /// A note about the missing revision, with the command that fetches it.
    pub fn note(&self) -> Option<Diagnostic> {
        let missing = self.missing.as_ref()?;
        let title =
            format!("cannot find the revision `{missing}`, so the edits since it are unknown");
        let note = Diagnostic::remark(Code::BadRevision, title);
        let note = note.note("the clone does not contain the complete history");
        Some(note.help(
            "run `git fetch --unshallow origin`; in CI, clone with `fetch-depth: 0` (GitHub), `GIT_DEPTH: 0` (GitLab) or `depth: full` (Bitbucket)",
        ))
    }
}

/// The last commit that `HEAD` and another revision share. `None` if it is not in the clone.
fn merge_base(name: &str) -> Option<String> {
    let base = git(&["merge-base", HEAD, &commit_of(name)?]).ok()?;
    let base = String::from_utf8_lossy(&base).trim().to_owned();
    (!base.is_empty()).then_some(base)
}

/// Whether the clone lacks a part of the history.
fn is_shallow() -> bool {
    let answer = git(&["rev-parse", "--is-shallow-repository"]);
    answer.is_ok_and(|answer| answer.starts_with(b"true"))
}

/// Whether a file that git tracks and that decides the behavior of dialogues was edited since the last commit. Scenarios,
/// snapshots and reports do not count: accepting a result edits them, and the IDs of the other causes must not change.
fn is_edited(folder: &Path, is_scenario: &dyn Fn(&Path) -> bool) -> bool {
    let decides = |path: &Path| {
        path.ends_with(PROJECT_FILE)
            || (is_yaml(path) || is_markdown_of_model(path, folder)) && !is_scenario(path)
    };
    let edited = edited_paths(HEAD);
    let mut edited = edited.iter().filter(|path| path.starts_with(folder));
    edited.any(|path| {
        let decides = decides(path);
        // The file can be a report of an earlier run, which is overwritten.
        InputFiles::remove(path);
        decides
    })
}

/// Whether a Markdown file is a model or in the folder of a model, unlike a report or a page of documentation.
fn is_markdown_of_model(path: &Path, folder: &Path) -> bool {
    let mut above = path.ancestors().skip(1);
    path.extension().is_some_and(|extension| extension == "md")
        && (Loader::default().explain(path).is_some()
            || above.any(|above| above.starts_with(folder) && is_definition(&above.join("states"))))
}
