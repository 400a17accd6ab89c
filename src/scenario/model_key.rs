//! A model as it is played.

use std::path::PathBuf;

use crate::machine::Profile;

/// A model by path and profile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelKey {
    /// The path.
    pub path: PathBuf,
    /// The profile.
    pub profile: Profile,
}

impl std::fmt::Display for ModelKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}@{}", self.path.display(), self.profile.name())
    }
}
