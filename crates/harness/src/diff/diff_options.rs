//! Comparison options.

use super::difference_kind::DifferenceKind;
use super::divergence::Divergence;
use super::sides::Sides;
use super::state_renames::StateRenames;
use fsmsim_core::trace::TurnReport;

/// Comparison options.
#[derive(Clone, Copy, Debug)]
pub struct DiffOptions<'r> {
    /// The kinds of differences to report; all kinds if empty.
    pub only: &'r [DifferenceKind],
    /// The number of turns to keep before and after a difference.
    pub context: usize,
    /// States that have a different name on the second side.
    pub renames: &'r StateRenames,
    /// Whether only fields are compared that both dialogues contain.
    pub only_common: bool,
}

impl DiffOptions<'_> {
    /// The divergence of two dialogues. The first dialogue must already use the state names of the second.
    pub(super) fn divergence(&self, turns: &Sides<Vec<TurnReport>>) -> Option<Divergence> {
        Divergence::find(&turns.a, &turns.b, self.only, self.context)
    }
}
