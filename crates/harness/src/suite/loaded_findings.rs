//! What was found while loading what scenarios name.

use std::path::PathBuf;

use crate::scenario::ModelKey;
use fsmsim_runtime::project::ModelCache;
use fsmsim_syntax::diagnostic::{Diagnostics, SourceMap};

/// Tells what was found while loading what scenarios name: models, and mocks. What holds of a model under its profile alone
/// is left to `lint`.
pub fn tell_loaded<'n>(
    loaded: &mut ModelCache,
    models: impl IntoIterator<Item = &'n ModelKey>,
    mocks: impl IntoIterator<Item = &'n PathBuf>,
    tell: &mut dyn FnMut(&Diagnostics, &SourceMap),
) {
    for model in models {
        let found = loaded.lasting_findings(&model.path, model.variant);
        tell(&found, loaded.sources());
    }
    for path in mocks {
        if let Some(found) = loaded.mock_findings(path) {
            tell(found, loaded.sources());
        }
    }
}
