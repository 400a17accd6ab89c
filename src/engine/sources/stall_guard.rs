//! Pushes on when a state takes too many turns: gently at first, then by force (docs/sales.md, "Stall guard").

use super::super::board::Blackboard;
use super::super::reason::Reason;
use super::super::view::TurnContext;
use crate::machine::{Level, SourceKind, StateId};

const BY: SourceKind = SourceKind::StallGuard;

/// Proposes the move, and the action too where the flag says so.
pub(super) fn contribute(view: &TurnContext<'_>, board: &mut Blackboard) {
    let (turns, idle) = match view.signals {
        Some(signals) => {
            (signals.consecutive_same_state, !signals.is_progressing && !signals.has_extracted_data)
        }
        None => (0, true),
    };
    let max = view.here().max_turns;
    let hard = turns >= max;
    let soft = turns >= (max - 1).max(view.machine.vocabulary.thresholds.soft_stall) && idle;
    if !hard && !soft {
        return;
    }
    let actions = &view.machine.vocabulary.actions;
    let (level, reason, action) = if hard {
        (Level::High, Reason::MaxTurns, actions.stall_eject)
    } else {
        (Level::Normal, Reason::StallSoft, actions.stall_nudge)
    };
    if let Some(to) = view.proposable(target(view)) {
        board.go(BY, to, level, reason);
    }
    if view.machine.vocabulary.flags.stall_dual.is_some_and(|flag| view.settings.flag(flag)) {
        board.act(BY, action, level, reason);
    }
}

/// Where the state is left to: back to where an objection came up, else as the state says, else to the default.
fn target(view: &TurnContext<'_>) -> Option<StateId> {
    let handling = view.machine.vocabulary.places.handle_objection == Some(view.state);
    let kept = view.session.return_state.filter(|_| handling);
    kept.or_else(|| view.resolve_target(view.here().fallback).map(|(state, _)| state)).or(view
        .machine
        .vocabulary
        .places
        .stall_default)
}
