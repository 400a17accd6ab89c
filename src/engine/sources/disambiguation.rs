//! Asks back when the reading is ambiguous (docs/sales.md, "Disambiguation").

use super::super::board::Blackboard;
use super::super::reason::Reason;
use super::super::view::TurnContext;
use crate::machine::{Level, SourceKind};

/// Asks back where there are readings to choose from.
pub(super) fn contribute(view: &TurnContext<'_>, board: &mut Blackboard) {
    if view.signals.is_some_and(|signals| !signals.options.is_empty()) {
        let action = view.machine.vocabulary.actions.ask_clarification;
        board.block(SourceKind::Disambiguation, action, Level::High, Reason::DisambiguationNeeded);
    }
}
