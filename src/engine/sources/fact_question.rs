//! Answers a question about facts, also one asked in passing (docs/sales.md, "Fact question").

use super::super::board::Blackboard;
use super::super::reason::Reason;
use super::super::signals::Scope;
use super::super::view::TurnContext;
use super::question_in;
use crate::machine::{Level, Roles, SourceKind};

/// The state's rule for the question, else the question's own answer, else the general one.
pub(super) fn contribute(view: &TurnContext<'_>, board: &mut Blackboard) {
    let Some(intent) = question_in(view, Roles::FACT) else {
        return;
    };
    let (action, rule) = match view.rule_action(intent, Scope::Fact) {
        Some((action, rule)) => (action, Some(rule)),
        None => {
            let own = view.machine.intent(intent).fact_action;
            (own.unwrap_or(view.machine.vocabulary.actions.answer_facts), None)
        }
    };
    board.act(SourceKind::FactQuestion, action, Level::High, Reason::FactQuestion).rule = rule;
}
