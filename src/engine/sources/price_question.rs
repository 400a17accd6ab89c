//! Answers a question about the price, also one asked in passing (docs/sales.md, "Price question").

use super::super::board::Blackboard;
use super::super::reason::Reason;
use super::super::signals::Scope;
use super::super::view::TurnContext;
use super::question_in;
use crate::machine::{Level, Roles, SourceKind};

/// The state's rule for the question, else the question's own answer, else the general one.
pub(super) fn contribute(view: &TurnContext<'_>, board: &mut Blackboard) {
    let Some(intent) = question_in(view, Roles::PRICE) else {
        return;
    };
    let (action, rule) = match view.rule_action(intent, Scope::Most) {
        Some((action, rule)) => (action, Some(rule)),
        None => {
            let own = view.machine.intent(intent).price_action;
            (own.unwrap_or(view.machine.vocabulary.actions.answer_price), None)
        }
    };
    board.act(SourceKind::PriceQuestion, action, Level::High, Reason::PriceQuestion).rule = rule;
}
