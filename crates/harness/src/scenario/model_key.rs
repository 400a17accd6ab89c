//! By what a model is known in a run.

use std::path::{Path, PathBuf};

use fsmsim_core::machine::{Profile, Variant};

/// A model by path and profile, as a scenario plays it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelKey {
    pub path: PathBuf,
    pub profile: Profile,
    /// The scenario permits it to be under construction: states that are missing play as stubs.
    pub with_stubs: bool,
}

impl ModelKey {
    /// The key of a definition and what is made of it.
    pub(super) fn of(path: &Path, variant: Variant) -> Self {
        Self {
            path: path.to_path_buf(),
            profile: variant.profile,
            with_stubs: variant.with_stubs,
        }
    }

    /// What is made of the definition.
    pub fn variant(&self) -> Variant {
        Variant {
            with_stubs: self.with_stubs,
            ..self.profile.into()
        }
    }
}

impl std::fmt::Display for ModelKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}@{}", self.path.display(), self.profile.name())
    }
}
