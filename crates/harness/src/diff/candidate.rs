//! A model to compare with another model.

use std::path::{Path, PathBuf};

use fsmsim_core::machine::Profile;
use fsmsim_runtime::project::{GitCheckout, ModelName, model_parts};

/// A model to compare with another model.
#[derive(Clone, Debug)]
pub struct Candidate {
    pub path: PathBuf,
    /// The profile to run it with; `None` selects the profile of the scenario.
    pub profile: Option<Profile>,
    /// The path by which scenarios refer to the model.
    pub named: PathBuf,
    /// Path prefixes of the model's files, each with the prefix to display.
    pub names: Vec<(String, String)>,
}

impl Candidate {
    /// Creates a candidate from a model, or from a Git revision of the model.
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

    /// Whether scenarios that name this path refer to this model.
    pub(super) fn is_named(&self, path: &Path) -> bool {
        is_same(&self.named, path)
    }

    /// Whether both models use the same files.
    pub(super) fn shares_files(&self, other: &Self) -> bool {
        is_same(&self.path, &other.path)
    }
}

/// Whether two paths refer to the same location, even if it does not exist.
fn is_same(one: &Path, other: &Path) -> bool {
    let full = |path: &Path| {
        let (file, section) = model_parts(path);
        let file = Path::new(".").join(file);
        let real = std::fs::canonicalize(&file).or_else(|_| std::path::absolute(&file));
        (real.unwrap_or(file), section)
    };
    one == other || full(one) == full(other)
}
