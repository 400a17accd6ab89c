//! Offers options when a state brings nothing new.

use super::SalesTurn;
use crate::engine::blackboard::Blackboard;
use crate::engine::policy::sales::reason::SalesReason;
use crate::engine::source_kind::SourceKind;
use crate::machine::Level;

/// Speaks up between the state's threshold and the point where the stall guard takes over.
pub(super) fn contribute(sales: &SalesTurn<'_>, board: &mut Blackboard) {
    let Some(signals) = sales.turn.signals else {
        return;
    };
    let state = sales.turn.here();
    let takes_over = (state.max_turns - 1).max(sales.config.thresholds.soft_stall);
    let turns = signals.consecutive_same_state;
    let idle = !signals.is_progressing && !signals.has_extracted_data;
    if state.exhaust_threshold <= turns && turns < takes_over && idle {
        let action = sales.config.actions.offer_options;
        board.act(
            SourceKind::PhaseExhausted,
            action,
            Level::Normal,
            SalesReason::PhaseExhausted,
        );
    }
}
