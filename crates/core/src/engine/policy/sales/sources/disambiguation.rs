//! Asks back when the reading is ambiguous.

use super::SalesTurn;
use crate::engine::blackboard::Blackboard;
use crate::engine::policy::sales::reason::SalesReason;
use crate::engine::source_kind::SourceKind;
use crate::machine::Level;

/// Asks back where there are readings to choose from.
pub(super) fn contribute(sales: &SalesTurn<'_>, board: &mut Blackboard) {
    if sales
        .turn
        .signals
        .is_some_and(|signals| signals.options > 0)
    {
        let action = sales.config.actions.ask_clarification;
        board.block(
            SourceKind::Disambiguation,
            action,
            Level::High,
            SalesReason::DisambiguationNeeded,
        );
    }
}
