//! The rank of a proposal by the priority table (docs/sales.md, "The priority table").

use super::board::{Blackboard, Proposal, Proposed};
use super::signals::Scope;
use super::view::TurnContext;
use crate::machine::{PriorityCandidate, UNRANKED};

/// Ranks all proposals on the board.
pub(super) fn rank_all(view: &TurnContext<'_>, board: &mut Blackboard) {
    for proposal in &mut board.proposals {
        proposal.rank = rank(view, proposal);
    }
}

/// The smallest rank among the entries that match.
fn rank(view: &TurnContext<'_>, proposal: &Proposal) -> i64 {
    view.machine
        .priorities
        .candidates(view.intent, proposal.class())
        .iter()
        .find(|candidate| matches(view, proposal, **candidate))
        .map_or(UNRANKED, |candidate| view.machine.priorities.entries[candidate.entry].rank)
}

/// What is left to ask of an entry during the turn: its flag, its condition, its action.
fn matches(view: &TurnContext<'_>, proposal: &Proposal, candidate: PriorityCandidate) -> bool {
    let entry = &view.machine.priorities.entries[candidate.entry];
    if let Some(flag) = entry.flag {
        let off = view.settings.tenant_off.lookup(flag).copied().unwrap_or(false);
        if off || !view.settings.flag(flag) {
            return false;
        }
    }
    if let Some(condition) = entry.condition {
        let holds = condition.is_some_and(|id| {
            let guard = view.machine.conditions[id].guard;
            view.evaluate(guard, Scope::Most).unwrap_or(false)
        });
        if !holds {
            return candidate.if_false;
        }
    }
    candidate.if_true && entry.action.is_none_or(|action| proposal.proposed == Proposed::Action(action))
}
