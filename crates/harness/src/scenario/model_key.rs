//! The model of a scenario, by which it is loaded once.

use std::path::PathBuf;

use fsmsim_core::machine::Variant;

/// A model as it is loaded.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ModelKey {
    pub path: PathBuf,
    /// What is made of its definition. With stubs, it may be under construction.
    pub variant: Variant,
}

/// For people: `path@profile`.
impl std::fmt::Display for ModelKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let profile = self.variant.profile.name();
        write!(f, "{}@{profile}", self.path.display())
    }
}
