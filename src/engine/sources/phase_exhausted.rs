//! Offers options when a state brings nothing new (docs/sales.md, "Phase exhausted").

use super::super::board::Blackboard;
use super::super::reason::Reason;
use super::super::view::TurnContext;
use crate::machine::{Level, SourceKind};

/// Speaks up between the state's threshold and the point where the stall guard takes over.
pub(super) fn contribute(view: &TurnContext<'_>, board: &mut Blackboard) {
    let Some(signals) = view.signals else { return };
    let state = view.here();
    let takes_over = (state.max_turns - 1).max(view.machine.vocabulary.thresholds.soft_stall);
    let turns = signals.consecutive_same_state;
    let idle = !signals.is_progressing && !signals.has_extracted_data;
    if state.exhaust_threshold <= turns && turns < takes_over && idle {
        let action = view.machine.vocabulary.actions.offer_options;
        board.act(SourceKind::PhaseExhausted, action, Level::Normal, Reason::PhaseExhausted);
    }
}
