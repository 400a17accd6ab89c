//! How dialogues are compared.

use super::difference_kind::DifferenceKind;
use super::divergence::Divergence;
use super::rule_changes::NamedModel;
use super::sides::Sides;
use super::state_renames::StateRenames;
use super::trace_scenario::PlayedBy;
use fsmsim_core::trace::TurnReport;

/// How dialogues are compared.
#[derive(Clone, Copy, Debug)]
pub struct DiffOptions<'r> {
    /// The kinds of differences that count; all, if none is named.
    pub only: &'r [DifferenceKind],
    /// Turns that are shown around a difference.
    pub context: usize,
    /// States that have another name on the second side.
    pub renames: &'r StateRenames,
}

impl DiffOptions<'_> {
    /// Where two dialogues diverge, of which the first has the names of the second already.
    pub(super) fn divergence(&self, turns: &Sides<Vec<TurnReport>>) -> Option<Divergence> {
        Divergence::find(&turns.a, &turns.b, self.only, self.context)
    }

    /// The same of dialogues that were played here, with the rules that were edited. Only where they diverge it is worth
    /// knowing those.
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
