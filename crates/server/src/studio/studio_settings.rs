//! The settings of the studio.

use std::path::{Path, PathBuf};

use fsmsim_adapters::llm::AnswererConfig;
use fsmsim_runtime::project::Project;

/// The settings of the studio.
#[derive(Clone)]
pub struct StudioSettings {
    pub project: Project,
    /// The configuration root; by default, the studio searches for it.
    pub config: Option<PathBuf>,
    /// The initial recognizer, in addition to the built-in recognizers, with its name from `--llm`. It is present only
    /// if the user has consented to its external services.
    pub asked: Option<(String, AnswererConfig)>,
    /// Whether writing project files is forbidden.
    pub is_ci: bool,
}

impl StudioSettings {
    /// A path relative to the project root.
    pub(super) fn named_from_root(&self, path: &Path) -> String {
        let project = &self.project;
        project.artifacts_in(&project.snapshots).from_root(path)
    }
}
