//! A model that is held against another one.

use std::path::{Path, PathBuf};

use fsmsim_core::machine::Profile;
use fsmsim_runtime::project::{GitCheckout, ModelName};

/// A model that is held against another one.
#[derive(Clone, Debug)]
pub struct Candidate {
    pub path: PathBuf,
    /// The profile it is played with; nothing is that of the scenario.
    pub profile: Option<Profile>,
    /// The path by which scenarios name it.
    pub named: PathBuf,
    /// The beginnings of paths of its files, and what people should see for them.
    pub names: Vec<(String, String)>,
}

impl Candidate {
    /// A model, perhaps as it was in a revision.
    pub fn new(model: &ModelName, checkout: Option<&GitCheckout>) -> Self {
        Self {
            path: checkout
                .map_or(&model.path, |checkout| &checkout.path)
                .clone(),
            profile: model.profile,
            named: model.path.clone(),
            names: checkout.map(GitCheckout::names).unwrap_or_default(),
        }
    }

    /// Whether scenarios that name this path mean it.
    pub(super) fn is_named(&self, path: &Path) -> bool {
        is_same(&self.named, path)
    }

    /// Whether both are the same files.
    pub(super) fn shares_files(&self, other: &Self) -> bool {
        is_same(&self.path, &other.path)
    }
}

/// Whether two paths are the same place, whether or not it exists.
fn is_same(one: &Path, other: &Path) -> bool {
    let full = |path: &Path| {
        let path = Path::new(".").join(path);
        std::fs::canonicalize(&path)
            .or_else(|_| std::path::absolute(&path))
            .unwrap_or(path)
    };
    one == other || full(one) == full(other)
}
