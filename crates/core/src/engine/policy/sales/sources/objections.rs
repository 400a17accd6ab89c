//! Ends a series of objections, and returns to the interrupted state.

use crate::engine::policy::sales::{PersonaLimits, Roles, SalesTurn};
use crate::engine::{Blackboard, SalesReason, SourceError, SourceKind};
use crate::machine::{Level, Traits, Value};

/// Ends a series of objections, and refuses to go back after a series. The current objection counts; a go-back is
/// refused if the limit was reached before it.
pub(super) fn end_series(sales: &SalesTurn<'_>, board: &mut Blackboard) -> Result<(), SourceError> {
    let by = SourceKind::ObjectionGuard;
    let documented = sales.turn.settings.switches.objection_limits;
    let (in_row, in_all) = if sales.turn.does(Traits::OBJECTION) {
        let category = sales.config.categories.objection;
        let tracker = &sales.turn.session.tracker;
        (
            tracker.category_streak(category),
            tracker.category_total(category),
        )
    } else if documented && sales.turn.does(Traits::GO_BACK) {
        sales.objections_before
    } else {
        return Ok(());
    };
    let personas = &sales.settings.personas;
    let limits = if documented && !personas.given {
        PersonaLimits {
            consecutive: sales.limit(sales.config.limits.consecutive_objections),
            total: sales.limit(sales.config.limits.total_objections),
        }
    } else {
        personas
            .get(sales.persona())
            .ok_or(SourceError::NoPersona)?
    };
    if i64::from(in_row) < limits.consecutive && i64::from(in_all) < limits.total {
        return Ok(());
    }
    board.act(
        by,
        sales.config.actions.objection_limit,
        Level::Critical,
        SalesReason::ObjectionLimit,
    );
    if let Some(to) = sales.turn.proposable(sales.config.states.soft_close) {
        board.go(by, to, Level::Critical, SalesReason::ObjectionLimit);
    }
    if let Some(slot) = sales.config.slots.objection_limit_final {
        board.updates.push((slot, Value::Bool(true)));
    }
    Ok(())
}

/// Returns to the interrupted state. Proposes only transitions; other sources propose the action.
pub(super) fn return_from(sales: &SalesTurn<'_>, board: &mut Blackboard) {
    let by = SourceKind::ObjectionReturn;
    let machine = sales.turn.machine;
    let Some(kept) = sales
        .turn
        .session
        .return_state()
        .filter(|state| machine.is_declared(*state))
    else {
        return;
    };
    let phase = machine.state(kept).phase;
    if sales.turn.settings.switches.objection_return {
        if sales.has_role(Roles::RETURN_TRIGGER) {
            let reason = if phase.is_some() {
                SalesReason::ObjectionReturnPhase
            } else {
                SalesReason::ObjectionReturn
            };
            board.go(by, kept, Level::High, reason);
        }
        return;
    }
    let category = sales.config.categories.objection;
    let thresholds = &sales.config.thresholds;
    let in_row = i64::from(sales.turn.session.tracker.category_streak(category));
    let objects = sales.turn.does(Traits::OBJECTION);
    if objects && phase.is_some() && in_row >= thresholds.phase_escape {
        board.go(by, kept, Level::High, SalesReason::ObjectionEscape);
        return;
    }
    let entry = sales.config.states.entry;
    if sales.has_role(Roles::RETURN_TRIGGER) {
        match (phase, entry) {
            (Some(_), _) => {
                board.go(by, kept, Level::High, SalesReason::ObjectionReturnPhase);
            }
            (None, Some(entry)) => {
                board.go(by, entry, Level::Normal, SalesReason::ObjectionReturnEntry);
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
        board.go(by, entry, Level::Normal, SalesReason::ObjectionLoop);
    } else if in_all
        >= machine
            .settings()
            .limit(sales.config.limits.total_objections)
            - 1
    {
        board.go(by, entry, Level::Normal, SalesReason::ObjectionTotal);
    }
}
