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

/// Formats the key as `path@profile`.
impl std::fmt::Display for ModelKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let profile = self.variant.profile.name();
        write!(f, "{}@{profile}", self.path.display())
    }
}
