//! A turn in which nobody could read what was said.

/// A turn in which nobody could read what was said, since the outside was not there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnreadTurn {
    /// The number of the turn.
    pub turn: u32,
    /// Why nobody could.
    pub reason: String,
}
