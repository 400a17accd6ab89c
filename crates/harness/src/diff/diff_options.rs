//! Comparison options.

use super::difference_kind::DifferenceKind;
use super::divergence::Divergence;
use super::rule_changes::NamedModel;
use super::sides::Sides;
use super::state_renames::StateRenames;
use super::trace_scenario::PlayedBy;
use fsmsim_core::trace::TurnReport;

/// Comparison options.
#[derive(Clone, Copy, Debug)]
pub struct DiffOptions<'r> {
    /// The kinds of differences to report; all kinds if empty.
    pub only: &'r [DifferenceKind],
    /// The number of turns to show before and after a difference.
    pub context: usize,
    /// States that have a different name on the second side.
    pub renames: &'r StateRenames,
}

impl DiffOptions<'_> {
    /// The divergence of two dialogues. The first dialogue must already use the state names of the second.
    pub(super) fn divergence(&self, turns: &Sides<Vec<TurnReport>>) -> Option<Divergence> {
        Divergence::find(&turns.a, &turns.b, self.only, self.context)
    }

    /// The divergence of two dialogues that were run in this process. If they diverge, edited rules are marked.
    pub(super) fn marked_divergence(
        &self,
        turns: &mut Sides<Vec<TurnReport>>,
        played: Sides<&PlayedBy>,
        models: Sides<NamedModel<'_>>,
    ) -> Option<Divergence> {
        let divergence = self.divergence(turns)?;
        let Sides { a, b } = models;
        played.a.mark(&mut turns.a, a.names, b.machine);
        played.b.mark(&mut turns.b, b.names, a.machine);
        Some(self.divergence(turns).unwrap_or(divergence))
    }
}
