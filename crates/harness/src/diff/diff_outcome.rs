//! The outcome of a diff.

use std::collections::BTreeSet;
use std::path::PathBuf;

use super::trace_comparison::TraceComparison;
use crate::scenario::ModelKey;

/// The outcome of a diff.
#[derive(Debug, Default)]
pub struct DiffOutcome {
    /// The comparison; `None` if nothing could be compared (the findings say why).
    pub comparison: Option<TraceComparison>,
    /// The files that scenarios name.
    pub named: Vec<NamedFiles>,
    /// No recognizer could read the utterance of at least one turn.
    pub unread: bool,
}

/// Files that scenarios name. They are stored to report the findings from loading them.
#[derive(Debug, Default)]
pub struct NamedFiles {
    /// Models that cannot be loaded.
    pub models: Vec<ModelKey>,
    pub mocks: BTreeSet<PathBuf>,
}

impl NamedFiles {
    /// Adds the files that other scenarios name.
    pub(super) fn extend(&mut self, other: Self) {
        self.models.extend(other.models);
        self.mocks.extend(other.mocks);
    }
}
