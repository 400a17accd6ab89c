//! Gating: what would touch the world passes the gates of the policies, and what the turn leaves behind is worked out
//! (docs/markdown.md, docs/contracts.md).

use super::blackboard::Blackboard;
use super::condition::TurnContext;
use super::decision::Decision;
use super::io::Need;
use super::policy::PolicyNotes;

/// Lets a decision pass the gates. A need, where the world must be asked.
pub(super) fn gate(
    turn: &TurnContext<'_>,
    notes: &mut PolicyNotes,
    board: &mut Blackboard,
    decision: &mut Decision,
) -> Option<Need> {
    if decision.failed {
        return None;
    }
    let policies = &turn.machine.policies;
    policies.gate(turn, board, decision).or_else(|| policies.apply(notes, turn, decision))
}
