//! The edits between two models that affect a dialogue.

use super::cause::CauseKey;
use super::decided::Decided;
use super::difference_kind::DifferenceKind;
use super::divergence::Divergence;
use super::edit_search::ModelEdit;
use super::policy_edits::{PolicyEdits, only_edit};
use super::rule_changes::NamedModel;
use super::sides::Sides;
use super::trace_comparison::JudgedDivergence;
use fsmsim_core::trace::TurnReport;

/// The edits between two models that affect a dialogue.
pub(super) struct EditCauses<'m> {
    pub models: Sides<NamedModel<'m>>,
    /// The edits that can be reverted.
    pub edits: &'m [ModelEdit],
    /// The kinds of differences to report; all kinds if empty.
    pub only: &'m [DifferenceKind],
}

impl EditCauses<'_> {
    /// Finds the edit that makes the first difference, if known, and all other edits that affect the dialogue. These
    /// are the edits whose reversal changes the second side (`found`), and those whose rules decided a turn that
    /// differs.
    pub(super) fn find(
        &self,
        divergence: Divergence,
        turns: &Sides<Vec<TurnReport>>,
        mut found: Vec<(&ModelEdit, Divergence)>,
    ) -> JudgedDivergence {
        let by_rule = || {
            let key = CauseKey::of(&divergence, &Decided::of(&divergence));
            matches!(key, CauseKey::Rule { .. }).then_some(key)
        };
        let by_policy = PolicyEdits::new(self.models).and_then(|edits| edits.cause(&divergence));
        let known = by_policy
            .or_else(by_rule)
            .or_else(|| only_edit(self.models));
        // Otherwise, use the first edit that makes a difference in the same turn.
        let first = known.or_else(|| {
            let at = found
                .iter()
                .position(|(_, other)| other.numbers().b == divergence.numbers().b)?;
            Some(found.remove(at).0.key.clone())
        });
        let mut taken: Vec<CauseKey> = first.iter().cloned().collect();
        let mut more_causes = Vec::new();
        let by_reversal = found
            .into_iter()
            .map(|(edit, divergence)| (edit.key.clone(), divergence));
        let by_rules = Divergence::all(&turns.a, &turns.b, self.only)
            .into_iter()
            .flat_map(|divergence| {
                CauseKey::edited_rules(&divergence)
                    .into_iter()
                    .map(|key| (key, divergence.clone()))
                    .collect::<Vec<_>>()
            });
        for (key, divergence) in by_reversal.chain(by_rules) {
            // Several lines of one edit may be named as the cause.
            let is_same = |known: &CauseKey| {
                *known == key
                    || self
                        .edits
                        .iter()
                        .any(|edit| edit.is(known) && edit.is(&key))
            };
            if !taken.iter().any(is_same) {
                taken.push(key.clone());
                more_causes.push((key, divergence));
            }
        }
        JudgedDivergence {
            divergence,
            cause: first,
            more_causes,
        }
    }
}
