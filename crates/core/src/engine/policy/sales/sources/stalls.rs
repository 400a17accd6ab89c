//! States that take too many turns: first offers options, then proposes a transition, then forces it.

use crate::engine::policy::sales::SalesTurn;
use crate::engine::{Blackboard, SalesReason, SourceKind};
use crate::machine::{Level, RuleId, StateId};

const BY: SourceKind = SourceKind::StallGuard;

/// Leaves a state that takes too many turns: proposes the transition, and also the action if the flag is on.
pub(super) fn leave_state(sales: &SalesTurn<'_>, board: &mut Blackboard) {
    let (turns, idle) = match sales.turn.signals {
        Some(signals) => (
            signals.consecutive_same_state,
            !signals.is_progressing && !signals.has_extracted_data,
        ),
        None => (0, true),
    };
    let max = sales.turn.here().max_turns;
    let hard = turns >= max;
    let soft = turns >= (max - 1).max(sales.config.thresholds.soft_stall) && idle;
    if !hard && !soft {
        return;
    }
    let actions = &sales.config.actions;
    let (level, reason, action) = if hard {
        (Level::High, SalesReason::MaxTurns, actions.stall_eject)
    } else {
        (Level::Normal, SalesReason::StallSoft, actions.stall_nudge)
    };
    let (to, rule) = target(sales);
    if let Some(to) = sales.turn.proposable(to) {
        board.go(BY, to, level, reason).rule = rule;
    }
    if sales
        .config
        .flags
        .stall_dual
        .is_some_and(|flag| sales.turn.settings.flag(flag))
    {
        board.act(BY, action, level, reason);
    }
}

/// The target when the dialogue leaves the state: the return state of an objection, otherwise the fallback of the state
/// with its rule, otherwise the default.
fn target(sales: &SalesTurn<'_>) -> (Option<StateId>, Option<RuleId>) {
    let handling = sales.config.states.handle_objection == Some(sales.turn.state);
    if let Some(kept) = sales.turn.session.return_state().filter(|_| handling) {
        return (Some(kept), None);
    }
    match sales.turn.resolve_target(sales.turn.here().fallback) {
        Some((state, rule)) => (Some(state), Some(rule)),
        None => (sales.config.states.stall_default, None),
    }
}

/// Offers options between the state's threshold and the turn at which the stall guard acts.
pub(super) fn offer_options(sales: &SalesTurn<'_>, board: &mut Blackboard) {
    let Some(signals) = sales.turn.signals else {
        return;
    };
    let state = sales.turn.here();
    let takes_over = (state.max_turns - 1).max(sales.config.thresholds.soft_stall);
    let turns = signals.consecutive_same_state;
    let idle = !signals.is_progressing && !signals.has_extracted_data;
    if state.exhaust_threshold <= turns && turns < takes_over && idle {
        let action = sales.config.actions.offer_options;
        board.act(
            SourceKind::PhaseExhausted,
            action,
            Level::Normal,
            SalesReason::PhaseExhausted,
        );
    }
}
