//! What of a definition decided a turn.

use fsmsim_syntax::diagnostic::{FileId, Span};

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
