//! Ends a series of objections, and refuses a step back after one (docs/sales.md, "Objection guard").

use super::super::board::Blackboard;
use super::super::reason::Reason;
use super::super::view::TurnContext;
use super::{SourceError, persona};
use crate::machine::{Level, PersonaLimits, Roles, SourceKind, Value};

const BY: SourceKind = SourceKind::ObjectionGuard;

/// An objection counts with the current one; a step back is refused if the limit stood before it.
pub(super) fn contribute(view: &TurnContext<'_>, board: &mut Blackboard) -> Result<(), SourceError> {
    let documented = view.settings.switches.objection_limits;
    let (in_row, in_all) = if view.is(Roles::OBJECTION) {
        let category = view.machine.vocabulary.categories.objection;
        let tracker = &view.session.tracker;
        (tracker.category_streak(category), tracker.category_total(category))
    } else if documented && view.is(Roles::GO_BACK) {
        view.objections_before
    } else {
        return Ok(());
    };
    let personas = &view.settings.personas;
    let limits = if documented && !personas.given {
        PersonaLimits {
            consecutive: view.settings.limits.consecutive_objections,
            total: view.settings.limits.total_objections,
        }
    } else {
        personas.get(persona(view)).ok_or(SourceError::NoPersona)?
    };
    if i64::from(in_row) < limits.consecutive && i64::from(in_all) < limits.total {
        return Ok(());
    }
    let vocabulary = &view.machine.vocabulary;
    board.act(BY, vocabulary.actions.objection_limit, Level::Critical, Reason::ObjectionLimit);
    if let Some(to) = view.proposable(vocabulary.places.soft_close) {
        board.go(BY, to, Level::Critical, Reason::ObjectionLimit);
    }
    if let Some(slot) = vocabulary.slots.objection_limit_final {
        board.updates.push((slot, Value::Bool(true)));
    }
    Ok(())
}
