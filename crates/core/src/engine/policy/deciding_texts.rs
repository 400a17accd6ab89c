//! What of a definition decided a turn.

use crate::machine::SlotId;
use fsmsim_syntax::diagnostic::{FileId, Span};

/// A turn as a trace shows it, for the question which text decided it.
#[derive(Clone, Copy, Debug, Default)]
pub struct DecidedTurn<'a> {
    /// Its class by a registry.
    pub class: &'a str,
    /// What the backend came to.
    pub outcome: Option<&'a str>,
    /// The data in which it differs from another turn.
    pub slot: Option<SlotId>,
}

/// What of a policy's text decided a turn.
#[derive(Clone, Debug, Default)]
pub struct DecidingTexts {
    /// The file in which the policy is written, where it has a text of its own.
    pub file: Option<FileId>,
    /// The policy is all there is in the machine.
    pub is_whole: bool,
    /// What decided the turn, the nearest first: each rank comes before the next.
    pub ranks: [Vec<Span>; 3],
}
