//! Gating: effects pass their gates, and the carryover of the turn is computed
//! (docs/src/explanation/effects-and-consent.md, docs/src/explanation/contracts.md).

use super::effects::do_effects;
use super::{Decision, Draft, Need, PolicyNotes, TurnContext};

/// Evaluates the gates of a decision: those of the policies, which also compute the carryover, then those of the
/// effects. Returns a need if an answer from outside is required.
pub(super) fn pass_gates(
    turn: &TurnContext<'_>,
    notes: &mut PolicyNotes,
    decision: &mut Decision,
) -> Option<Need> {
    if decision.failed {
        return None;
    }
    let policies = &turn.machine.policies;
    if turn.input.reply.is_some() {
        policies.steer(notes, turn, decision);
    }
    if policies.ask_in_mid_turn() {
        let mut draft = decision.draft.take();
        let to = decision.to;
        policies.gate(&seen(draft.as_deref(), turn), decision);
        // If a gate redirects the turn, the operations of the original transition are undone.
        if let Some(draft) = draft.as_deref_mut().filter(|_| decision.to != to) {
            draft.undo_move(turn);
        }
        if let Some(need) = policies.apply(notes, &seen(draft.as_deref(), turn), decision) {
            return Some(need);
        }
        decision.draft = match (decision.draft.take(), draft) {
            (Some(mut after), Some(before)) => {
                after.follow(*before);
                Some(after)
            }
            (after, before) => after.or(before),
        };
    }
    if decision.failed {
        decision.draft = None;
        return None;
    }
    if turn.machine.has_ops() {
        do_effects(turn, decision)
    } else {
        None
    }
}

/// The turn with the data changed by operations.
fn seen<'a>(draft: Option<&'a Draft>, turn: &TurnContext<'a>) -> TurnContext<'a> {
    draft.map_or(*turn, |draft| draft.seen_by(turn))
}
