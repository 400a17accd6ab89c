//! The models that can be played.

use std::path::{Path, PathBuf};

use fsmsim_runtime::project::{is_surely_definition, models_below};
use fsmsim_syntax::diagnostic::Diagnostics;

/// The models of the project in this folder, by path; the folder itself, where it is one.
pub fn project_models(folder: &Path, found: &mut Diagnostics) -> Vec<PathBuf> {
    let models = models_below(folder, found);
    if models.is_empty() && is_surely_definition(folder) {
        vec![folder.to_path_buf()]
    } else {
        models
    }
}
