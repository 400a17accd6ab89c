//! The rank of a proposal by the priority table.

use super::blackboard::Blackboard;
use super::proposal::{Proposal, Proposed};
use crate::engine::condition::TurnContext;
use crate::engine::session::Scope;
use crate::machine::{PriorityCandidate, UNRANKED};

/// Ranks all proposals on the board.
pub(in crate::engine) fn rank_all(turn: &TurnContext<'_>, board: &mut Blackboard) {
    for proposal in &mut board.proposals {
        proposal.rank = rank(turn, proposal);
    }
}

/// The smallest rank among the entries that match.
fn rank(turn: &TurnContext<'_>, proposal: &Proposal) -> i64 {
    turn.machine
        .priorities
        .candidates(turn.intent, proposal.class())
        .iter()
        .find(|candidate| matches(turn, proposal, **candidate))
        .map_or(UNRANKED, |candidate| {
            turn.machine.priorities.entries[candidate.entry].rank
        })
}

/// What is left to ask of an entry during the turn: its flag, its condition, its action.
fn matches(turn: &TurnContext<'_>, proposal: &Proposal, candidate: PriorityCandidate) -> bool {
    let entry = &turn.machine.priorities.entries[candidate.entry];
    if let Some(flag) = entry.flag {
        let off = turn
            .settings
            .tenant_off
            .lookup(flag)
            .copied()
            .unwrap_or(false);
        if off || !turn.settings.flag(flag) {
            return false;
        }
    }
    if let Some(condition) = entry.condition {
        let holds = condition.is_some_and(|id| {
            let named = &turn.machine.named_conditions[id];
            turn.evaluate(named.condition, Scope::Most).unwrap_or(false)
        });
        if !holds {
            return candidate.if_false;
        }
    }
    candidate.if_true
        && entry
            .action
            .is_none_or(|action| proposal.proposed == Proposed::Action(action))
}
