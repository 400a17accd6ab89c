//! Ends a series of objections, and refuses a step back after one.

use super::SalesTurn;
use crate::engine::blackboard::{Blackboard, SourceError};
use crate::engine::policy::sales::PersonaLimits;
use crate::engine::policy::sales::reason::SalesReason;
use crate::engine::source_kind::SourceKind;
use crate::machine::{Level, Traits, Value};

const BY: SourceKind = SourceKind::ObjectionGuard;

/// An objection counts with the current one; a step back is refused if the limit stood before it.
pub(super) fn contribute(sales: &SalesTurn<'_>, board: &mut Blackboard) -> Result<(), SourceError> {
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
        BY,
        sales.config.actions.objection_limit,
        Level::Critical,
        SalesReason::ObjectionLimit,
    );
    if let Some(to) = sales.turn.proposable(sales.config.states.soft_close) {
        board.go(BY, to, Level::Critical, SalesReason::ObjectionLimit);
    }
    if let Some(slot) = sales.config.slots.objection_limit_final {
        board.updates.push((slot, Value::Bool(true)));
    }
    Ok(())
}
