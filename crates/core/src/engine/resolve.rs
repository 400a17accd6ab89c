//! Resolving: chooses at most one action and one transition from all proposals.

use smallvec::SmallVec;

use super::nodes::traverse;
use super::{
    Blackboard, Decision, Draft, Merge, Proposal, Proposed, Reason, Scope, TurnContext, Won,
};
use crate::machine::{
    ConditionId, EdgeMark, PhaseId, PriorityCandidate, StateId, Target, UNRANKED,
};

/// Decides the turn.
///
/// A rank decides only between proposals of one kind. If each kind has at most one proposal, ranks are computed only
/// for the record.
pub(super) fn resolve(turn: &TurnContext<'_>, board: &mut Blackboard, records: bool) -> Decision {
    if board.unusable_target {
        return Decision::give_up(turn.machine, turn.state, Reason::ProcessingError);
    }
    let mut winning_action = None;
    let mut winning_move = None;
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
    // Example: two sources propose `answer_price` (high, rank 10) and `next_question` (normal, rank 2), a third
    // proposes the state `closing`. The actions are contested, and the level decides regardless of the ranks; the only
    // transition needs no rank. Without a contest, ranking would search the priority table in every turn only for the
    // record.
    if records || contested {
        rank_all(turn, board);
    }
    if contested {
        (winning_action, winning_move) = winners(board, turn.settings.switches.source_order);
    }
    decide(turn, board, winning_action, winning_move)
}

/// Merges the winning action and the winning transition into one decision.
pub(super) fn decide(
    turn: &TurnContext<'_>,
    board: &Blackboard,
    winning_action: Option<usize>,
    winning_move: Option<usize>,
) -> Decision {
    let at = |number: Option<usize>| {
        number.and_then(|number| Some((number, board.proposals.get(number)?)))
    };
    let action = at(winning_action);
    let mut transition = at(winning_move);
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
    continue_from(turn, &mut decision);
    decision
}

/// Continues from the decided state: skips phases and traverses nodes. Conditions on the path see the changes of
/// operations.
pub(super) fn continue_from(turn: &TurnContext<'_>, decision: &mut Decision) {
    if let Some(draft) = decision.draft.take() {
        skip_phases(&draft.seen_by(turn), decision);
        decision.draft = Some(draft);
    } else {
        skip_phases(turn, decision);
    }
    if turn.machine.has_nodes {
        traverse_nodes(turn, decision);
    }
    if turn.machine.has_asides {
        limit_asides(turn, decision);
    }
    if turn.settings.switches.transition_action
        && decision.action == turn.machine.well_known.continue_goal
    {
        decision.arrive(turn);
    }
}

/// Traverses choices, forks and joins. The action of a join overrides the decided action. If branches only wait for
/// each other, the waiting action is used unless an action won.
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

/// Stays in the state if the maximum number of asides is open, so that no way back is lost.
fn limit_asides(turn: &TurnContext<'_>, decision: &mut Decision) {
    let returns = &turn.session.returns;
    if !returns.refuses(turn.state, decision.to, turn.machine) {
        return;
    }
    decision.to = turn.state;
    decision.draft = Draft::after(turn, decision.by_action.and_then(|won| won.rule), None);
    decision.notes.push(Reason::TooManyAsides);
    if decision.traversal.take().is_some() {
        traverse_nodes(turn, decision);
    }
}

/// The sort key of a proposal: level, rank and, with `by_number`, the number of the source. Equal keys keep the order
/// of creation.
fn key(proposal: &Proposal, by_number: bool) -> (u8, i64, u8) {
    let number = match proposal.by {
        Some(source) if by_number => u8::MAX - source.number(),
        _ => 0,
    };
    (proposal.level as u8, proposal.rank, number)
}

/// The indices of the winning action and the winning transition, by level and rank.
pub(super) fn winners(board: &Blackboard, by_number: bool) -> (Option<usize>, Option<usize>) {
    (
        winner(board, true, by_number),
        winner(board, false, by_number),
    )
}

/// The index of the best proposal of a kind; among equal proposals, the first.
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

/// The losing proposals in the order of records: transitions before actions, best first.
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

/// If the state would not change, takes the transition `any`, unless the decided action was proposed as a blocking
/// action. The profile `reference` does not support a target with conditions.
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
    if turn.machine.state(to).is_resume() {
        traverse_nodes(turn, &mut decision);
    }
    if turn.machine.has_ops() {
        decision.draft = Draft::after(
            turn,
            decision.by_action.and_then(|won| won.rule),
            Some(rule),
        );
    }
    decision
}

/// Skips phases whose skip condition holds, in a transition to a later phase.
fn skip_phases(turn: &TurnContext<'_>, decision: &mut Decision) {
    let machine = turn.machine;
    let goes_on = decision.to != turn.state && decision.mark != Some(EdgeMark::Back);
    if !turn.settings.switches.skip_conditions || !goes_on {
        return;
    }
    let Some(mut at) = mapped_phase(turn, decision.to) else {
        return;
    };
    // A return from an objection is not a transition to a later phase.
    let from = machine
        .position(turn.state)
        .or_else(|| machine.position(turn.session.return_state()?));
    if from.is_some_and(|from| at <= from) {
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

/// The position of the phase that is mapped to exactly this state.
fn mapped_phase(turn: &TurnContext<'_>, state: StateId) -> Option<usize> {
    let machine = turn.machine;
    let phase: PhaseId = machine.state(state).phase?;
    machine
        .phase_position(phase)
        .filter(|_| machine.phases[phase].state == Some(state))
}

/// Ranks all proposals on the board.
fn rank_all(turn: &TurnContext<'_>, board: &mut Blackboard) {
    for proposal in &mut board.proposals {
        proposal.rank = rank(turn, proposal);
    }
}

/// The smallest rank of the matching entries.
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

/// Whether an entry matches now: tests its flag, its condition and its action.
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

#[cfg(test)]
mod tests {
    //! Conflicts recorded from the bot of the profile `reference`, resolved again. The data is not part of the
    //! project: if `FSMSIM_CONFORMANCE` does not name its folder, the test prints a message and is skipped.
    //!
    //! The ranks are given, so the test covers only the decision.

    use serde_json::{Value, json};

    use super::{decide, rejected, resolve, winners};
    use crate::engine::Machine;
    use crate::engine::PolicyList;
    use crate::engine::blackboard::{Blackboard, Proposal, Proposed, Reason};
    use crate::engine::condition::TurnContext;
    use crate::engine::decision::Merge;
    use crate::engine::io::Input;
    use crate::engine::policy::assemble;
    use crate::engine::session::{Session, Settings};
    use crate::machine::{
        ActionId, Id, IntentId, Level, MachineBuilder, MachineHeader, Origin, Profile, SourceMask,
        StateId, Target, UNRANKED,
    };
    use fsmsim_syntax::diagnostic::{SourceMap, Span};
    use fsmsim_syntax::terminal::Joined;

    /// A machine with the states of the vectors; `s3` is undefined. `cur` has the transition `any`.
    fn machine(any: Option<&str>) -> Machine {
        let mut files = SourceMap::default();
        let span = Span::start_of(files.add("vector", ""));
        let mut builder = MachineBuilder::default();
        builder.well_known.continue_goal = builder.action("continue_current_goal");
        for action in ["a1", "a2", "a3"] {
            builder.action(action);
        }
        for name in ["cur", "s1", "s2", "fb"] {
            let state = builder.state(name);
            builder.states[state].declared = true;
        }
        builder.state("s3");
        let initial = builder.state("cur");
        if let Some(name) = any {
            let origin = builder.origin(Origin::default());
            let (to, rule) = (builder.state(name), builder.rule(span, origin));
            builder.states[initial].any = Target::State(to, rule);
        }
        let settings = Settings::new(Profile::Reference.into(), SourceMask::ALL);
        assemble(
            builder,
            MachineHeader::default(),
            settings,
            initial,
            files,
            PolicyList::default(),
        )
    }

    /// The proposals of a vector: kind, name, level, rank, source, reason, and whether it can be combined with a
    /// transition.
    fn board(vector: &Value, machine: &Machine) -> Blackboard {
        let mut board = Blackboard::default();
        for (number, given) in vector["proposals"].as_array().unwrap().iter().enumerate() {
            let name = given[1].as_str().unwrap();
            // The number of the proposal identifies its reason.
            let intent = IntentId::from_index(number);
            let (proposed, reason) = if given[0] == "A" {
                let action: ActionId = machine.names.actions.id(name).unwrap();
                (Proposed::Action(action), Reason::Rule(intent))
            } else {
                let state: StateId = machine.names.states.id(name).unwrap();
                (Proposed::Move(state), Reason::IntentTransition(intent))
            };
            let levels = [Level::Critical, Level::High, Level::Normal, Level::Low];
            let named = |level: &Level| {
                given[2]
                    .as_str()
                    .unwrap()
                    .eq_ignore_ascii_case(level.name())
            };
            assert_eq!(
                (&given[4], &given[5]),
                (&json!(format!("S{number}")), &json!(format!("r{number}")))
            );
            board.add(Proposal {
                proposed,
                level: levels.into_iter().find(named).unwrap(),
                rank: given[3].as_i64().unwrap_or(UNRANKED),
                combinable: given[6].as_bool().unwrap(),
                by: None,
                reason,
                rule: None,
                mark: None,
            });
        }
        board
    }

    /// The decision in the format of the recording.
    fn decided(turn: &TurnContext<'_>, board: &Blackboard) -> Value {
        let names = &turn.machine.names;
        let (action, to) = winners(board, false);
        let decision = decide(turn, board, action, to);
        let reasons: Vec<String> = decision
            .reasons()
            .map(|reason| match reason {
                Reason::Rule(number) | Reason::IntentTransition(number) => {
                    format!("r{}", number.index())
                }
                Reason::FallbackAny => "fallback_any_transition".to_owned(),
                other => format!("{other:?}"),
            })
            .collect();
        let rejected: Vec<String> = rejected(board, &decision, false)
            .iter()
            .map(|number| format!("S{number}"))
            .collect();
        json!({
            "action": names.actions.name(decision.action),
            "next_state": names.states.name(decision.to),
            "reason_codes": reasons,
            "merge": decision.merge.name(),
            "fallback_applied": decision.notes.contains(&Reason::FallbackAny),
            "rejected": rejected,
        })
    }

    /// Whether the bot rejects a proposal as an error. (It also warns about a blocking action of level `low`, which
    /// has no effect.)
    fn has_error(vector: &Value) -> bool {
        vector["validation"]
            .as_array()
            .unwrap()
            .iter()
            .any(|finding| finding[2] == "error")
    }

    #[test]
    fn recorded_conflicts_have_the_recorded_decisions() {
        let Some(folder) = std::env::var_os("FSMSIM_CONFORMANCE") else {
            eprintln!("skipped: FSMSIM_CONFORMANCE does not name the folder of recordings");
            return;
        };
        let path = std::path::PathBuf::from(folder).join("flow/_vec_conflict.jsonl");
        let text = std::fs::read_to_string(path).unwrap();
        let (mut compared, mut wrong) = (0, Vec::new());
        for line in text.lines() {
            let vector: Value = serde_json::from_str(line).unwrap();
            let machine = machine(vector["fallback"].as_str());
            let session = Session::new(&machine);
            let input = Input::default();
            let intent = IntentId::from_index(0);
            let turn = TurnContext::new(
                &machine,
                machine.settings(),
                &session,
                &session,
                &input,
                intent,
            );
            let mut board = board(&vector, &machine);
            let got = decided(&turn, &board);
            let differs = |(key, value): (&String, &Value)| vector[key] != *value;
            if got.as_object().unwrap().iter().any(differs) {
                wrong.push(format!("{vector}: got {got}"));
            }
            // The recorded decisions are those of the resolver alone; a complete turn fails earlier on an error.
            let complete = resolve(&turn, &mut board, true);
            if (complete.merge == Merge::Failed) != has_error(&vector) {
                wrong.push(format!(
                    "{vector}: the complete turn is {}",
                    complete.merge.name()
                ));
            }
            compared += 1;
        }
        let shown = wrong.iter().take(5).cloned().joined("\n");
        assert!(
            wrong.is_empty(),
            "{} of {compared} differ, among them\n{shown}",
            wrong.len()
        );
        assert_eq!(compared, 1000);
    }
}
