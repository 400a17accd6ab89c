//! Resolving: of all proposals, at most one action and one move.

use smallvec::SmallVec;

use super::blackboard::{Blackboard, Proposal, Proposed, Reason, rank_all};
use super::condition::TurnContext;
use super::decision::{Decision, Merge, Won};
use super::draft::Draft;
use super::nodes::traverse;
use crate::machine::{ConditionId, PhaseId, StateId, Target};

/// Decides the turn.
///
/// A rank decides only between proposals of one kind. Where there are no two, none is worked out, unless the proposals
/// are recorded.
pub(super) fn resolve(turn: &TurnContext<'_>, board: &mut Blackboard, records: bool) -> Decision {
    if board.unusable_target {
        return Decision::give_up(turn.machine, turn.state, Reason::ProcessingError);
    }
    let (mut winning_action, mut winning_move) = (None, None);
    let mut contested = false;
    for (number, proposal) in board.proposals.iter().enumerate() {
        let first = match proposal.proposed {
            Proposed::Action(_) => &mut winning_action,
            Proposed::Move(state) if turn.machine.is_declared(state) => &mut winning_move,
            Proposed::Move(_) => {
                return Decision::give_up(turn.machine, turn.state, Reason::InvalidProposal);
            }
        };
        contested |= first.is_some();
        first.get_or_insert(number);
    }
    if records || contested {
        rank_all(turn, board);
    }
    if contested {
        (winning_action, winning_move) = winners(board, turn.settings.switches.source_order);
    }
    decide(turn, board, winning_action, winning_move)
}

/// Makes one decision of the action and the move that won.
pub(super) fn decide(
    turn: &TurnContext<'_>,
    board: &Blackboard,
    winning_action: Option<usize>,
    winning_move: Option<usize>,
) -> Decision {
    let at = |number: Option<usize>| {
        number.and_then(|number| Some((number, board.proposals.get(number)?)))
    };
    let (action, mut transition) = (at(winning_action), at(winning_move));
    let blocked = action.is_some_and(|(_, action)| !action.combinable);
    if blocked {
        transition = None;
    }
    let mut decision = Decision::new(turn.machine, turn.state);
    decision.merge = match (action, transition) {
        _ if blocked => Merge::Blocked,
        (None, None) => Merge::NoProposals,
        (Some(_), None) => Merge::ActionOnly,
        (None, Some(_)) => Merge::TransitionOnly,
        (Some(_), Some(_)) => Merge::Merged,
    };
    if let Some((number, proposal)) = action
        && let Proposed::Action(action) = proposal.proposed
    {
        decision.action = action;
        decision.by_action = Some(Won::of(number, proposal));
    }
    if let Some((number, proposal)) = transition
        && let Proposed::Move(state) = proposal.proposed
    {
        decision.to = state;
        decision.by_transition = Some(Won::of(number, proposal));
        decision.mark = proposal.mark;
    }
    if !turn.settings.switches.any_trigger && decision.to == turn.state {
        return fall_back(turn, board, decision);
    }
    if turn.machine.has_ops() {
        let [answers, moves] =
            [decision.by_action, decision.by_transition].map(|won| won.and_then(|won| won.rule));
        decision.draft = Draft::after(turn, answers, moves);
    }
    go_on(turn, &mut decision);
    decision
}

/// Goes on from where a decision leads, past phases and through nodes. What operations do is seen on the way.
pub(super) fn go_on(turn: &TurnContext<'_>, decision: &mut Decision) {
    if let Some(draft) = decision.draft.take() {
        skip_phases(&draft.seen_by(turn), decision);
        decision.draft = Some(draft);
    } else {
        skip_phases(turn, decision);
    }
    if turn.machine.has_nodes {
        traverse_nodes(turn, decision);
    }
    if turn.settings.switches.transition_action
        && decision.action == turn.machine.well_known.continue_goal
    {
        decision.arrive(turn);
    }
}

/// Goes on through choices, forks and joins. What a join demands beats what was decided; where branches only wait for each
/// other, that is the answer unless there is a better one.
fn traverse_nodes(turn: &TurnContext<'_>, decision: &mut Decision) {
    let (traversal, draft) = traverse(turn, decision.to, decision.draft.take());
    decision.draft = draft;
    decision.to = traversal.to;
    decision.notes.extend(traversal.stopped);
    if let Some(action) = traversal.action {
        decision.action = action;
    } else if traversal.waits
        && decision.by_action.is_none()
        && let Some(waiting) = turn.machine.well_known.join_waiting
    {
        decision.action = waiting;
    }
    decision.traversal = Some(Box::new(traversal));
}

/// What orders proposals: level, rank, the number of the source where that counts, the order made.
fn key(proposal: &Proposal, by_number: bool) -> (u8, i64, u8) {
    let number = match proposal.by {
        Some(source) if by_number => u8::MAX - source.number(),
        _ => 0,
    };
    (proposal.level as u8, proposal.rank, number)
}

/// The numbers of the action and the move that win by level and rank.
pub(super) fn winners(board: &Blackboard, by_number: bool) -> (Option<usize>, Option<usize>) {
    (
        winner(board, true, by_number),
        winner(board, false, by_number),
    )
}

/// The number of the first proposal of a kind; of equal ones the one that was made first.
fn winner(board: &Blackboard, actions: bool, by_number: bool) -> Option<usize> {
    let mut best: Option<((u8, i64, u8), usize)> = None;
    for (number, proposal) in board.proposals.iter().enumerate() {
        if proposal.is_action() == actions {
            let key = key(proposal, by_number);
            if best.is_none_or(|(least, _)| key < least) {
                best = Some((key, number));
            }
        }
    }
    best.map(|(_, number)| number)
}

/// The proposals that lost, in the order in which records list them: moves before actions, best first.
pub(super) fn rejected(
    board: &Blackboard,
    decision: &Decision,
    by_number: bool,
) -> SmallVec<[usize; 8]> {
    let won = [decision.by_action, decision.by_transition]
        .map(|won| won.map(|won| won.proposal as usize));
    let mut order: SmallVec<[usize; 8]> = (0..board.proposals.len())
        .filter(|number| !won.contains(&Some(*number)))
        .collect();
    if decision.failed {
        return SmallVec::new();
    }
    order.sort_by_key(|number| {
        board
            .proposals
            .get(*number)
            .map(|proposal| (proposal.is_action(), key(proposal, by_number)))
    });
    order
}

/// Where nothing moved, the transition `any` does, unless a blocking action of the same value was proposed. A target with conditions is more than the profile `reference` can take.
fn fall_back(turn: &TurnContext<'_>, board: &Blackboard, mut decision: Decision) -> Decision {
    let blocks = |proposal: &Proposal| {
        !proposal.combinable && proposal.proposed == Proposed::Action(decision.action)
    };
    let any = turn.here().any;
    if !any.is_some() || board.proposals.iter().any(blocks) {
        return decision;
    }
    let Target::State(to, rule) = any else {
        return Decision::give_up(turn.machine, turn.state, Reason::ProcessingError);
    };
    decision.to = to;
    decision.notes.push(Reason::FallbackAny);
    if turn.machine.has_ops() {
        decision.draft = Draft::after(
            turn,
            decision.by_action.and_then(|won| won.rule),
            Some(rule),
        );
    }
    decision
}

/// A move to a later phase passes over phases whose skip condition holds.
fn skip_phases(turn: &TurnContext<'_>, decision: &mut Decision) {
    let machine = turn.machine;
    if !turn.settings.switches.skip_conditions || decision.to == turn.state {
        return;
    }
    let Some(mut at) = mapped_phase(turn, decision.to) else {
        return;
    };
    // A return to where an objection interrupted the dialogue is no move to a later phase.
    let from = turn
        .here()
        .phase
        .or_else(|| machine.state(turn.session.return_state?).phase);
    if from
        .and_then(|phase| machine.phase_position(phase))
        .is_some_and(|from| at <= from)
    {
        return;
    }
    while let Some(phase) = machine
        .phases
        .ids()
        .nth(at)
        .filter(|_| at < machine.ordered_phases)
    {
        let skips = |condition: &ConditionId| turn.holds(*condition);
        if !machine.phases[phase].skip.iter().any(skips) {
            if let Some(state) = machine.phases[phase].state {
                decision.to = state;
            }
            return;
        }
        decision.notes.push(Reason::PhaseSkipped(phase));
        at += 1;
    }
    if let Some(after) = machine.well_known.post_phases {
        decision.to = after;
    }
}

/// The place in the order of the phase that is mapped to this very state.
fn mapped_phase(turn: &TurnContext<'_>, state: StateId) -> Option<usize> {
    let machine = turn.machine;
    let phase: PhaseId = machine.state(state).phase?;
    machine
        .phase_position(phase)
        .filter(|_| machine.phases[phase].state == Some(state))
}
