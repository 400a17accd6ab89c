//! Resolving: of all proposals, at most one action and one move (docs/sales.md, "Proposals").

mod vectors;

use smallvec::SmallVec;

use super::board::{Blackboard, Proposal, Proposed};
use super::contract::Settled;
use super::dag::{NodeTraversal, traverse};
use super::effect::Effect;
use super::rank::rank_all;
use super::reason::Reason;
use super::reply::LimitViolation;
use super::signals::Scope;
use super::view::TurnContext;
use crate::machine::{ActionId, Machine, PhaseId, SourceKind, StateId, Target};

/// What was decided.
#[derive(Debug)]
pub struct Decision {
    /// The action.
    pub action: ActionId,
    /// The state after the turn.
    pub to: StateId,
    /// How action and move came together.
    pub merge: Merge,
    /// The number of the action that won, on the board.
    pub winning_action: Option<usize>,
    /// The number of the move that won, on the board.
    pub winning_move: Option<usize>,
    /// The turn was given up.
    pub failed: bool,
    /// Why.
    pub reasons: SmallVec<[Reason; 4]>,
    /// What happened at choices, forks and joins, where the machine has any.
    pub(super) passage: Option<Box<NodeTraversal>>,
    /// What becomes of the state that is kept to return to.
    pub returns: Returns,
    /// What the turn would do to the world.
    pub effects: Vec<Effect>,
    /// The limits that the reply went past.
    pub limit_violations: Vec<LimitViolation>,
    /// What a turn of its class leaves behind, where the machine has classes.
    pub contract: Option<Box<Settled>>,
}

/// What becomes of the state that is kept to return to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Returns {
    /// It stays as it is.
    #[default]
    AsItIs,
    /// This one is kept.
    Keep(StateId),
    /// None is kept.
    Forget,
}

/// How action and move came together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Merge {
    /// Nothing was proposed.
    NoProposals,
    /// Only an action.
    ActionOnly,
    /// Only a move.
    TransitionOnly,
    /// Both.
    Merged,
    /// An action that leaves no room for a move.
    Blocked,
    /// The turn was given up.
    Failed,
}

impl Merge {
    /// The name in traces.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::NoProposals => "NO_PROPOSALS",
            Self::ActionOnly => "ACTION_ONLY",
            Self::TransitionOnly => "TRANSITION_ONLY",
            Self::Merged => "MERGED",
            Self::Blocked => "BLOCKED",
            Self::Failed => "FAILED",
        }
    }
}

/// Decides the turn.
///
/// A rank decides only between proposals of one kind. Where there are no two, none is worked out, unless the proposals
/// are recorded.
pub(super) fn resolve(view: &TurnContext<'_>, board: &mut Blackboard, records: bool) -> Decision {
    if board.unusable_target {
        return give_up(view.machine, view.state, Reason::ProcessingError);
    }
    let (mut winning_action, mut winning_move) = (None, None);
    let mut contested = false;
    for (number, proposal) in board.proposals.iter().enumerate() {
        let first = match proposal.proposed {
            Proposed::Action(_) => &mut winning_action,
            Proposed::Move(state) if view.machine.is_declared(state) => &mut winning_move,
            Proposed::Move(_) => return give_up(view.machine, view.state, Reason::InvalidProposal),
        };
        contested |= first.is_some();
        first.get_or_insert(number);
    }
    if records || contested {
        rank_all(view, board);
    }
    if contested {
        (winning_action, winning_move) = winners(board, view.settings.switches.source_order);
    }
    decide(view, board, winning_action, winning_move)
}

/// Makes one decision of the action and the move that won.
fn decide(
    view: &TurnContext<'_>,
    board: &Blackboard,
    winning_action: Option<usize>,
    mut winning_move: Option<usize>,
) -> Decision {
    let at = |number: Option<usize>| number.and_then(|number| board.proposals.get(number));
    let blocked = at(winning_action).is_some_and(|action| !action.combinable);
    if blocked {
        winning_move = None;
    }
    let merge = match (winning_action, winning_move) {
        _ if blocked => Merge::Blocked,
        (None, None) => Merge::NoProposals,
        (Some(_), None) => Merge::ActionOnly,
        (None, Some(_)) => Merge::TransitionOnly,
        (Some(_), Some(_)) => Merge::Merged,
    };
    let mut decision = Decision {
        action: view.machine.vocabulary.actions.continue_goal,
        to: view.state,
        merge,
        winning_action,
        winning_move,
        failed: false,
        reasons: SmallVec::new(),
        passage: None,
        returns: Returns::AsItIs,
        effects: Vec::new(),
        limit_violations: Vec::new(),
        contract: None,
    };
    if let Some(Proposal { proposed: Proposed::Action(action), reason, .. }) = at(winning_action) {
        decision.action = *action;
        decision.reasons.push(*reason);
    }
    if let Some(Proposal { proposed: Proposed::Move(state), reason, .. }) = at(winning_move) {
        decision.to = *state;
        decision.reasons.push(*reason);
    }
    if !view.settings.switches.any_trigger && decision.to == view.state {
        return fall_back(view, board, decision);
    }
    skip_phases(view, &mut decision);
    if view.machine.has_nodes {
        walk_on(view, &mut decision);
    }
    if view.settings.switches.transition_action
        && decision.winning_action.is_none()
        && decision.action == view.machine.vocabulary.actions.continue_goal
        && decision.to != view.state
        && let Some(arrival) = view.machine.state(decision.to).arrival
    {
        decision.action = arrival;
    }
    decision
}

/// Walks on through choices, forks and joins (docs/flows.md). What a join demands beats what was decided; where
/// branches only wait for each other, that is the answer unless there is a better one.
fn walk_on(view: &TurnContext<'_>, decision: &mut Decision) {
    let passage = traverse(view, decision.to);
    decision.to = passage.to;
    decision.reasons.extend(passage.stopped);
    let actions = &view.machine.vocabulary.actions;
    if let Some(action) = passage.action {
        decision.action = action;
    } else if passage.waits
        && decision.winning_action.is_none()
        && let Some(waiting) = actions.join_waiting
    {
        decision.action = waiting;
    }
    decision.passage = Some(Box::new(passage));
}

/// A turn that is given up: the dialogue stays where it is.
pub(super) fn give_up(machine: &Machine, state: StateId, reason: Reason) -> Decision {
    Decision {
        action: machine.vocabulary.actions.continue_goal,
        to: state,
        merge: Merge::Failed,
        winning_action: None,
        winning_move: None,
        failed: true,
        reasons: SmallVec::from_slice(&[reason]),
        passage: None,
        returns: Returns::AsItIs,
        effects: Vec::new(),
        limit_violations: Vec::new(),
        contract: None,
    }
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
fn winners(board: &Blackboard, by_number: bool) -> (Option<usize>, Option<usize>) {
    (winner(board, true, by_number), winner(board, false, by_number))
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
pub(super) fn rejected(board: &Blackboard, decision: &Decision, by_number: bool) -> SmallVec<[usize; 8]> {
    let mut order: SmallVec<[usize; 8]> = (0..board.proposals.len())
        .filter(|number| decision.winning_action != Some(*number) && decision.winning_move != Some(*number))
        .collect();
    if decision.failed {
        return SmallVec::new();
    }
    order.sort_by_key(|number| {
        board.proposals.get(*number).map(|proposal| (proposal.is_action(), key(proposal, by_number)))
    });
    order
}

/// Where nothing moved, the transition `any` does, unless a blocking action of the same value was proposed
/// (docs/sales.md, "Proposals"). A target with conditions is more than the profile `reference` can take.
fn fall_back(view: &TurnContext<'_>, board: &Blackboard, mut decision: Decision) -> Decision {
    let blocks =
        |proposal: &Proposal| !proposal.combinable && proposal.proposed == Proposed::Action(decision.action);
    let any = view.here().any;
    if !any.is_some() || board.proposals.iter().any(blocks) {
        return decision;
    }
    let Target::State(to, _) = any else {
        return give_up(view.machine, view.state, Reason::ProcessingError);
    };
    decision.to = to;
    decision.reasons.push(Reason::FallbackAny);
    decision
}

/// A move to a later phase passes over phases whose skip condition holds (docs/sales.md, "Proposals").
fn skip_phases(view: &TurnContext<'_>, decision: &mut Decision) {
    let machine = view.machine;
    if !view.settings.switches.skip_conditions || decision.to == view.state {
        return;
    }
    let Some(mut at) = mapped_phase(view, decision.to) else {
        return;
    };
    // A return to where an objection interrupted the dialogue is no move to a later phase.
    let from = view.here().phase.or_else(|| machine.state(view.session.return_state?).phase);
    if from.and_then(|phase| machine.phase_position(phase)).is_some_and(|from| at <= from) {
        return;
    }
    while let Some(phase) = machine.phases.ids().nth(at).filter(|_| at < machine.ordered_phases) {
        let skips = |guard: &crate::machine::ConditionId| view.evaluate(*guard, Scope::All).unwrap_or(false);
        if !machine.phases[phase].skip.iter().any(skips) {
            if let Some(state) = machine.phases[phase].state {
                decision.to = state;
            }
            return;
        }
        decision.reasons.push(Reason::PhaseSkipped(phase));
        at += 1;
    }
    if let Some(after) = machine.vocabulary.places.post_phases {
        decision.to = after;
    }
}

/// The place in the order of the phase that is mapped to this very state.
fn mapped_phase(view: &TurnContext<'_>, state: StateId) -> Option<usize> {
    let machine = view.machine;
    let phase: PhaseId = machine.state(state).phase?;
    machine.phase_position(phase).filter(|_| machine.phases[phase].state == Some(state))
}

/// The source of a winning proposal.
pub(super) fn source_of(board: &Blackboard, number: Option<usize>) -> Option<SourceKind> {
    board.proposals.get(number?)?.by
}
