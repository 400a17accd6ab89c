//! What the studio is opened with.

use std::path::{Path, PathBuf};

use fsmsim_adapters::llm::AnswererConfig;
use fsmsim_runtime::project::Project;

/// What holds as long as the studio is open.
#[derive(Clone)]
pub struct StudioSettings {
    pub project: Project,
    /// The configuration root that is used instead of looking for one.
    pub config: Option<PathBuf>,
    /// Whom the dialogue asks at first, beside those whom it may ask in any case, as `--llm` names them. Whoever needs the
    /// user's consent is here only with it.
    pub asked: Option<(String, AnswererConfig)>,
    /// Nothing that belongs to the project is written.
    pub is_ci: bool,
}

impl StudioSettings {
    /// A path as it is told: from the root of the project.
    pub(super) fn named_from_root(&self, path: &Path) -> String {
        let project = &self.project;
        project.artifacts_in(&project.snapshots).from_root(path)
    }
}
