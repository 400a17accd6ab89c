//! What the sources of a sales dialogue note in a turn.

use crate::machine::StateId;

/// What the sources of a sales dialogue note in a turn.
#[derive(Clone, Copy, Debug, Default)]
pub struct SalesNotes {
    /// Objections in a row and in all before the current intent was counted.
    pub(super) objections_before: (u32, u32),
    /// A step back that was accepted.
    pub(super) go_back: Option<PendingGoBack>,
}

/// A step back that is counted once it has happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PendingGoBack {
    /// From where.
    pub(super) from: StateId,
    /// To where; nothing, where conditions decide.
    pub(super) to: Option<StateId>,
}
