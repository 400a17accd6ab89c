//! Pushes on when a state takes too many turns: gently at first, then by force.

use super::SalesTurn;
use crate::engine::blackboard::Blackboard;
use crate::engine::policy::sales::reason::SalesReason;
use crate::engine::source_kind::SourceKind;
use crate::machine::{Level, RuleId, StateId};

const BY: SourceKind = SourceKind::StallGuard;

/// Proposes the move, and the action too where the flag says so.
pub(super) fn contribute(sales: &SalesTurn<'_>, board: &mut Blackboard) {
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

/// Where the state is left to: back to where an objection came up, else as the state says, by a rule then, else to the
/// default.
fn target(sales: &SalesTurn<'_>) -> (Option<StateId>, Option<RuleId>) {
    let handling = sales.config.states.handle_objection == Some(sales.turn.state);
    if let Some(kept) = sales.turn.session.return_state.filter(|_| handling) {
        return (Some(kept), None);
    }
    match sales.turn.resolve_target(sales.turn.here().fallback) {
        Some((state, rule)) => (Some(state), Some(rule)),
        None => (sales.config.states.stall_default, None),
    }
}
