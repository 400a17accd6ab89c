//! Scenarios as one side of a comparison.

use std::path::{Path, PathBuf};

use fsmsim_runtime::project::{GitCheckout, Project};
use fsmsim_syntax::diagnostic::{Diagnostics, SourceMap};

/// Scenarios as one side of a comparison.
#[derive(Debug)]
pub struct ScenarioSet {
    /// The file or folder.
    pub path: PathBuf,
    /// Their project, where it is not the one of the working directory.
    pub project: Option<Project>,
    /// The revision of which they are.
    checkout: Option<GitCheckout>,
    /// They are all scenarios of a project.
    is_project: bool,
}

impl ScenarioSet {
    /// Scenarios of a file or folder.
    pub(super) fn under(path: &Path, sources: &mut SourceMap, found: &mut Diagnostics) -> Self {
        let project = Project::above(path, sources, found);
        Self {
            path: path.to_path_buf(),
            project,
            checkout: None,
            is_project: false,
        }
    }

    /// All scenarios of the project in a folder.
    pub(super) fn of_project(
        folder: &Path,
        sources: &mut SourceMap,
        found: &mut Diagnostics,
    ) -> Self {
        let project = Project::at(folder, sources, found);
        Self {
            path: project.scenarios.clone(),
            project: Some(project),
            checkout: None,
            is_project: true,
        }
    }

    /// Scenarios of a revision: a file or folder, or all of a project.
    pub(super) fn of_revision(
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
            project: Some(project),
            checkout: Some(checkout),
            is_project,
        }
    }

    /// How paths of its files begin, and how people should see them begin.
    pub fn names(&self) -> Vec<(String, String)> {
        self.checkout
            .as_ref()
            .map(GitCheckout::names)
            .unwrap_or_default()
    }

    /// What it was taken for.
    pub(super) fn kind(&self) -> &'static str {
        if self.is_project {
            "a project"
        } else if self.path.is_dir() {
            "a folder of scenarios"
        } else {
            "a file of scenarios"
        }
    }
}
