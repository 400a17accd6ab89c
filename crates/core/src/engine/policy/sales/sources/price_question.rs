//! Answers a question about the price, also one asked in passing.

use super::SalesTurn;
use crate::engine::blackboard::Blackboard;
use crate::engine::policy::sales::Roles;
use crate::engine::policy::sales::reason::SalesReason;
use crate::engine::session::Scope;
use crate::engine::source_kind::SourceKind;
use crate::machine::Level;

/// The state's rule for the question, else the question's own answer, else the general one.
pub(super) fn contribute(sales: &SalesTurn<'_>, board: &mut Blackboard) {
    let Some(intent) = sales.question(Roles::PRICE) else {
        return;
    };
    let (action, rule) = match sales.turn.rule_action(intent, Scope::Most) {
        Some((action, rule)) => (action, Some(rule)),
        None => {
            let own = sales.config.intent(intent).price_action;
            (own.unwrap_or(sales.config.actions.answer_price), None)
        }
    };
    board
        .act(
            SourceKind::PriceQuestion,
            action,
            Level::High,
            SalesReason::PriceQuestion,
        )
        .rule = rule;
}
