//! What a diff came to.

use std::collections::BTreeSet;
use std::path::PathBuf;

use super::trace_comparison::TraceComparison;
use crate::scenario::ModelKey;

/// What a diff came to.
#[derive(Debug, Default)]
pub struct DiffOutcome {
    /// What differs; nothing where nothing could be compared, and findings tell why.
    pub comparison: Option<TraceComparison>,
    /// What scenarios named.
    pub named: Vec<NamedFiles>,
    /// In some turn nobody read what was said.
    pub unread: bool,
}

/// Files that scenarios name, for what was found while loading them.
#[derive(Debug, Default)]
pub struct NamedFiles {
    /// Models that could not be used.
    pub models: Vec<ModelKey>,
    pub mocks: BTreeSet<PathBuf>,
}

impl NamedFiles {
    /// Adds those that other scenarios name.
    pub(super) fn extend(&mut self, other: Self) {
        self.models.extend(other.models);
        self.mocks.extend(other.mocks);
    }
}
