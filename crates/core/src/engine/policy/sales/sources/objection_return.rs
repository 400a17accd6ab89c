//! Returns to where an objection interrupted the dialogue.

use super::SalesTurn;
use crate::engine::blackboard::Blackboard;
use crate::engine::policy::sales::Roles;
use crate::engine::policy::sales::reason::SalesReason;
use crate::engine::source_kind::SourceKind;
use crate::machine::{Level, Traits};

const BY: SourceKind = SourceKind::ObjectionReturn;

/// Proposes only moves; the action is left to others.
pub(super) fn contribute(sales: &SalesTurn<'_>, board: &mut Blackboard) {
    let machine = sales.turn.machine;
    let Some(kept) = sales
        .turn
        .session
        .return_state
        .filter(|state| machine.is_declared(*state))
    else {
        return;
    };
    let phase = machine.state(kept).phase;
    if sales.turn.settings.switches.objection_return {
        if sales.plays(Roles::RETURN_TRIGGER) {
            let reason = if phase.is_some() {
                SalesReason::ObjectionReturnPhase
            } else {
                SalesReason::ObjectionReturn
            };
            board.go(BY, kept, Level::High, reason);
        }
        return;
    }
    let category = sales.config.categories.objection;
    let thresholds = &sales.config.thresholds;
    let in_row = i64::from(sales.turn.session.tracker.category_streak(category));
    let objects = sales.turn.does(Traits::OBJECTION);
    if objects && phase.is_some() && in_row >= thresholds.phase_escape {
        board.go(BY, kept, Level::High, SalesReason::ObjectionEscape);
        return;
    }
    let entry = sales.config.states.entry;
    if sales.plays(Roles::RETURN_TRIGGER) {
        match (phase, entry) {
            (Some(_), _) => {
                board.go(BY, kept, Level::High, SalesReason::ObjectionReturnPhase);
            }
            (None, Some(entry)) => {
                board.go(BY, entry, Level::Normal, SalesReason::ObjectionReturnEntry);
            }
            (None, None) => {}
        }
        return;
    }
    let Some(entry) = entry.filter(|_| objects && phase.is_none()) else {
        return;
    };
    let in_all = i64::from(sales.turn.session.tracker.category_total(category));
    if in_row >= thresholds.loop_escape {
        board.go(BY, entry, Level::Normal, SalesReason::ObjectionLoop);
    } else if in_all
        >= machine
            .settings()
            .limit(sales.config.limits.total_objections)
            - 1
    {
        board.go(BY, entry, Level::Normal, SalesReason::ObjectionTotal);
    }
}
