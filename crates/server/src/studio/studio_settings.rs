//! The settings of the studio.

use std::path::{Path, PathBuf};

use fsmsim_adapters::llm::AnswererConfig;
use fsmsim_runtime::project::Project;

/// The settings of the studio.
#[derive(Clone)]
pub struct StudioSettings {
    pub project: Project,
    /// The configuration root; by default it is searched for.
    pub config: Option<PathBuf>,
    /// The initial recognizer, in addition to the built-in ones, with its name from `--llm`. It is present only if the user
    /// has consented to its external services.
    pub asked: Option<(String, AnswererConfig)>,
    /// Whether no project file may be written.
    pub is_ci: bool,
}

impl StudioSettings {
    /// A path relative to the root of the project.
    pub(super) fn named_from_root(&self, path: &Path) -> String {
        let project = &self.project;
        project.artifacts_in(&project.snapshots).from_root(path)
    }
}
