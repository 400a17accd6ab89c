//! Scenarios as one side of a comparison.

use std::path::{Path, PathBuf};

use fsmsim_runtime::project::{GitCheckout, Project};
use fsmsim_syntax::diagnostic::{Diagnostics, SourceMap};

/// Scenarios as one side of a comparison.
#[derive(Debug)]
pub struct ScenarioSet {
    /// The file or folder.
    pub path: PathBuf,
    /// The project of the path.
    pub project: Project,
    /// The Git revision, if any.
    checkout: Option<GitCheckout>,
    /// The set contains all scenarios of a project.
    is_project: bool,
}

impl ScenarioSet {
    /// The scenarios in a file or folder.
    pub(super) fn under(path: &Path, sources: &mut SourceMap, found: &mut Diagnostics) -> Self {
        let project = Project::find([path], sources, found);
        Self {
            path: path.to_path_buf(),
            project,
            checkout: None,
            is_project: false,
        }
    }

    /// All scenarios of the project in a folder.
    pub(super) fn from_project(
        folder: &Path,
        sources: &mut SourceMap,
        found: &mut Diagnostics,
    ) -> Self {
        let project = Project::at(folder, sources, found);
        Self {
            path: project.scenarios.clone(),
            project,
            checkout: None,
            is_project: true,
        }
    }

    /// Scenarios from a revision: a file, a folder or a project.
    pub(super) fn from_revision(
        checkout: GitCheckout,
        is_project: bool,
        sources: &mut SourceMap,
        found: &mut Diagnostics,
    ) -> Self {
        let project = Project::at(&checkout.root, sources, found);
        let path = if is_project {
            project.scenarios.clone()
        } else {
            checkout.path.clone()
        };
        Self {
            path,
            project,
            checkout: Some(checkout),
            is_project,
        }
    }

    /// Path prefixes of the files, each with the prefix to display.
    pub fn names(&self) -> Vec<(String, String)> {
        self.checkout
            .as_ref()
            .map(GitCheckout::names)
            .unwrap_or_default()
    }

    /// The detected kind, for messages.
    pub(super) fn kind(&self) -> &'static str {
        if self.is_project {
            "a project"
        } else if self.path.is_dir() {
            "a directory of scenarios"
        } else {
            "a scenario file"
        }
    }
}
