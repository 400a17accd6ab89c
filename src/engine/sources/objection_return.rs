//! Returns to where an objection interrupted the dialogue (docs/sales.md, "Objection return").

use super::super::board::Blackboard;
use super::super::reason::Reason;
use super::super::view::TurnContext;
use crate::machine::{Level, Roles, SourceKind};

const BY: SourceKind = SourceKind::ObjectionReturn;

/// Proposes only moves; the action is left to others.
pub(super) fn contribute(view: &TurnContext<'_>, board: &mut Blackboard) {
    let machine = view.machine;
    let Some(kept) = view.session.return_state.filter(|state| machine.is_declared(*state)) else {
        return;
    };
    let phase = machine.state(kept).phase;
    if view.settings.switches.objection_return {
        if view.is(Roles::RETURN_TRIGGER) {
            let reason = if phase.is_some() { Reason::ObjectionReturnPhase } else { Reason::ObjectionReturn };
            board.go(BY, kept, Level::High, reason);
        }
        return;
    }
    let category = machine.vocabulary.categories.objection;
    let thresholds = &machine.vocabulary.thresholds;
    let in_row = i64::from(view.session.tracker.category_streak(category));
    let objects = view.is(Roles::OBJECTION);
    if objects && phase.is_some() && in_row >= thresholds.phase_escape {
        board.go(BY, kept, Level::High, Reason::ObjectionEscape);
        return;
    }
    let entry = machine.vocabulary.places.entry;
    if view.is(Roles::RETURN_TRIGGER) {
        match (phase, entry) {
            (Some(_), _) => {
                board.go(BY, kept, Level::High, Reason::ObjectionReturnPhase);
            }
            (None, Some(entry)) => {
                board.go(BY, entry, Level::Normal, Reason::ObjectionReturnEntry);
            }
            (None, None) => {}
        }
        return;
    }
    let Some(entry) = entry.filter(|_| objects && phase.is_none()) else {
        return;
    };
    let in_all = i64::from(view.session.tracker.category_total(category));
    if in_row >= thresholds.loop_escape {
        board.go(BY, entry, Level::Normal, Reason::ObjectionLoop);
    } else if in_all >= machine.settings.limits.total_objections - 1 {
        board.go(BY, entry, Level::Normal, Reason::ObjectionTotal);
    }
}
