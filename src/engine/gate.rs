//! Gating: a move into a state that needs the user's data passes the gates, or goes another way (docs/markdown.md).

use super::blackboard::Blackboard;
use super::condition::TurnContext;
use super::decision::Decision;
use super::io::Need;
use super::policy::PolicyNotes;

/// Lets a decision pass the gates. A need, where the world must be asked.
pub(super) fn gate(
    turn: &TurnContext<'_>,
    notes: &mut [PolicyNotes],
    board: &mut Blackboard,
    decision: &mut Decision,
) -> Option<Need> {
    if decision.failed {
        return None;
    }
    let policies = &turn.machine.policies;
    policies.gate(turn, board, decision).or_else(|| policies.apply(notes, turn, decision))
}
