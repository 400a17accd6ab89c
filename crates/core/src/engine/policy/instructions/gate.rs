//! The gate of instructions: where the dialogue goes once the user has said what may be done with data.

use super::reason::InstructionsReason;
use crate::engine::condition::TurnContext;
use crate::engine::decision::{Decision, Returns};
use crate::engine::policy::Guidance;

/// Leads a decision back to where the dialogue was interrupted for consent, and forgets that place once it is left for good.
pub(super) fn gate(guidance: &Guidance, turn: &TurnContext<'_>, decision: &mut Decision) {
    let from = turn.state;
    let kept = turn.session.return_state;
    if decision.to == from
        && guidance.consent == Some(from)
        && turn.input.consent.is_said()
        && let Some(back) = kept
    {
        decision.to = back;
        decision
            .notes
            .push(InstructionsReason::ConsentSettled.into());
    }
    if decision.to != from
        && kept.is_some()
        && (kept == Some(decision.to) || guidance.is_aside(from))
    {
        decision.returns = Returns::Forget;
    }
    decision.arrive(turn);
}
