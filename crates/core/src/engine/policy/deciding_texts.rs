//! The parts of a definition that decided a turn.

use fsmsim_syntax::diagnostic::{FileId, Span};

/// The parts of a policy's definition that decided a turn.
#[derive(Clone, Debug, Default)]
pub struct DecidingTexts {
    /// The file of the policy, if it has its own.
    pub file: Option<FileId>,
    /// Whether the machine has nothing but this policy.
    pub is_whole: bool,
    /// The deciding locations by rank, the most specific rank first.
    pub ranks: [Vec<Span>; 3],
}
