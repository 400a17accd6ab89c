//! Moves on when all required data is there (docs/sales.md, "Data collector").

use super::super::board::Blackboard;
use super::super::reason::Reason;
use super::super::view::TurnContext;
use crate::machine::{Level, SourceKind, Target};

/// 0 and false are data here, in both profiles.
pub(super) fn contribute(view: &TurnContext<'_>, board: &mut Blackboard) {
    let state = view.here();
    let complete = state.required.iter().all(|slot| view.session.slots.get(*slot).filled());
    if !complete {
        return;
    }
    if matches!(state.data_complete, Target::Chain(_)) && !view.settings.switches.conditional_data_complete {
        board.unusable_target = true;
        return;
    }
    if let Some((to, rule)) = view.resolve_target(state.data_complete) {
        board.go(SourceKind::DataCollector, to, Level::Normal, Reason::DataComplete).rule = Some(rule);
    }
}
