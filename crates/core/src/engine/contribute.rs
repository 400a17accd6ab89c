//! Contributing: the relevant sources propose actions and transitions, in order
//! (docs/src/explanation/sales-sources.md).

use super::{
    Blackboard, PolicyNotes, Proposal, Proposed, Reason, Scope, SourceError, SourceKind,
    TurnContext,
};
use crate::machine::{Alternative, Consequent, EdgeMark, Level, Target, Traits, UNRANKED};

/// Collects the proposals of the sources on the blackboard.
pub(super) fn contribute(turn: &TurnContext<'_>, notes: &mut PolicyNotes, board: &mut Blackboard) {
    let is_over = turn.settings.switches.final_state && turn.session.is_final(turn.machine);
    if is_over && !turn.machine.reopens(turn.state, turn.intent) {
        board.add(Proposal {
            proposed: Proposed::Action(turn.machine.well_known.finished),
            level: Level::Critical,
            rank: UNRANKED,
            combinable: false,
            by: None,
            reason: Reason::FinalState,
            rule: None,
            mark: None,
        });
        return;
    }
    let intent = turn.current_intent();
    for kind in intent
        .source_filter
        .or(turn.machine.policies.triggered_by_signals(turn))
        .and(turn.here().source_filter.or(intent.anywhere))
        .and(turn.settings.sources)
        .iter()
    {
        if let Err(error) = ask(kind, turn, notes, board) {
            board.errors.push((kind, error.to_string().into()));
        }
    }
    let resolver = turn.settings.sources.has(SourceKind::TransitionResolver);
    if turn.settings.switches.any_trigger && resolver && !board.has_move() {
        propose_any(turn, board);
    }
}

/// Lets one source contribute: a source of the machine or of a policy.
fn ask(
    kind: SourceKind,
    turn: &TurnContext<'_>,
    notes: &mut PolicyNotes,
    board: &mut Blackboard,
) -> Result<(), SourceError> {
    match kind {
        SourceKind::DataCollector => propose_when_complete(turn, board),
        SourceKind::IntentProcessor => return propose_rule(turn, board),
        SourceKind::TransitionResolver => propose_transition(turn, board),
        kind => return turn.machine.policies.contribute(kind, notes, turn, board),
    }
    Ok(())
}

/// Proposes the transition when all required data is present (docs/src/explanation/sales-sources.md). 0 and false count
/// as data, in both profiles.
fn propose_when_complete(turn: &TurnContext<'_>, board: &mut Blackboard) {
    let state = turn.here();
    let complete = state
        .required
        .iter()
        .all(|slot| turn.session.slots.get(*slot).filled());
    if !complete {
        return;
    }
    if matches!(state.data_complete, Target::Chain(_))
        && !turn.settings.switches.conditional_data_complete
    {
        board.unusable_target = true;
        return;
    }
    if let Some((to, rule)) = turn.resolve_target(state.data_complete) {
        board
            .go(
                SourceKind::DataCollector,
                to,
                Level::Normal,
                Reason::DataComplete,
            )
            .rule = Some(rule);
    }
}

/// Proposes the action of the state's rule for the intent (docs/src/explanation/sales-sources.md). A condition without
/// a value ends the contribution: later alternatives of the rule do not apply.
fn propose_rule(turn: &TurnContext<'_>, board: &mut Blackboard) -> Result<(), SourceError> {
    let by = SourceKind::IntentProcessor;
    let rule = match turn.here().rules.get(turn.intent) {
        Some(chain) => turn
            .first(chain, Scope::Most, false)
            .map_err(SourceError::Condition)?,
        None => None,
    };
    if let Some(Alternative {
        then: Consequent::Action(action),
        rule,
        ..
    }) = rule
    {
        let proposal = board.act(by, *action, Level::Normal, Reason::Rule(turn.intent));
        proposal.combinable = !turn.machine.well_known.blocking_actions.contains(action);
        proposal.rule = Some(*rule);
    } else if let Some((entry, action)) = turn.current_intent().default_answer {
        board.act(by, action, Level::Normal, Reason::Priority(entry));
    }
    Ok(())
}

const RESOLVER: SourceKind = SourceKind::TransitionResolver;

/// Proposes the state's transition for the intent (docs/src/explanation/sales-sources.md): the first alternative that
/// applies. A condition without a value counts as false.
fn propose_transition(turn: &TurnContext<'_>, board: &mut Blackboard) {
    let chain = turn.here().transitions.get(turn.intent);
    if let Some((to, rule)) = chain.and_then(|chain| turn.chosen_state(chain)) {
        let level = if turn.does(Traits::URGENT_MOVE) {
            Level::High
        } else {
            Level::Normal
        };
        let proposal = board.go(RESOLVER, to, level, Reason::IntentTransition(turn.intent));
        proposal.rule = Some(rule);
        // For the go-back intent, every transition is marked as going back.
        proposal.mark = if turn.does(Traits::GO_BACK) {
            Some(EdgeMark::Back)
        } else {
            turn.machine.rules[rule].mark
        };
    }
}

/// Proposes the transition `any` if no other source proposed a transition (switch `any_trigger`).
fn propose_any(turn: &TurnContext<'_>, board: &mut Blackboard) {
    if let Some((to, rule)) = turn.resolve_target(turn.here().any) {
        board
            .go(RESOLVER, to, Level::Normal, Reason::AnyTransition)
            .rule = Some(rule);
    }
}
