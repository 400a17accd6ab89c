//! Gating: what would touch the world passes the gates of the policies, and what the turn leaves behind is worked out
//! (docs/markdown.md, docs/contracts.md).

use super::blackboard::Blackboard;
use super::condition::TurnContext;
use super::decision::Decision;
use super::io::Need;
use super::policy::PolicyNotes;

/// Lets a decision pass the gates. A need, where the world must be asked.
pub(super) fn pass_gates(turn: &TurnContext<'_>, board: &mut Blackboard, decision: &mut Decision) -> Option<Need> {
    if decision.failed { None } else { turn.machine.policies.gate(turn, board, decision) }
}

/// Works out what the turn leaves behind. A need, where somebody must be asked for it.
pub(super) fn work_out(turn: &TurnContext<'_>, notes: &mut PolicyNotes, decision: &mut Decision) -> Option<Need> {
    if decision.failed { None } else { turn.machine.policies.apply(notes, turn, decision) }
}
