//! What came of the snapshot of a scenario.

/// What came of the snapshot of a scenario.
#[derive(Debug)]
pub enum SnapshotOutcome {
    /// There is none, and none is needed.
    None,
    /// It is the same.
    Same,
    /// It was written.
    Accepted,
    /// It differs, or is missing where it is needed: the old text, the new one, and the file that waits.
    Differs {
        /// The text that was accepted; nothing where there is none.
        old: Option<String>,
        /// The text now.
        new: String,
        /// The file that waits for a decision, where it was written.
        pending: Option<String>,
    },
}

impl SnapshotOutcome {
    /// Whether somebody has to decide.
    pub fn differs(&self) -> bool {
        matches!(self, Self::Differs { .. })
    }
}
