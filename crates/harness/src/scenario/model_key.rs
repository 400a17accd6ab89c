//! The key of a loaded model.

use std::path::PathBuf;

use fsmsim_core::machine::Variant;

/// The key of a loaded model. Each model is loaded only once.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ModelKey {
    pub path: PathBuf,
    /// The variant of the definition. A variant with stubs allows an incomplete model.
    pub variant: Variant,
}

impl ModelKey {
    /// The path, with the profile if it changes the behavior of the model.
    pub fn name(&self, profile: Option<&str>) -> String {
        let path = self.path.display();
        profile.map_or_else(|| path.to_string(), |name| format!("{path}@{name}"))
    }
}
