//! A language model decides how an autonomous state continues.

use crate::engine::policy::sales::SalesTurn;
use crate::engine::{Blackboard, SalesReason, SourceKind, first_answer};
use crate::limits::MAX_REASON_CHARS;
use crate::machine::{Level, NeedKind, Value};
use fsmsim_syntax::terminal::beginning;

const BY: SourceKind = SourceKind::AutonomousDecision;
/// Proposes the model's transition and reply, or the fallback if the model did not answer.
pub(super) fn contribute(sales: &SalesTurn<'_>, board: &mut Blackboard) {
    if !sales.turn.settings.model {
        return;
    }
    let action = sales.config.actions.autonomous;
    let answer = first_answer(sales.turn.answers, NeedKind::Decide);
    let Some(decision) = answer
        .and_then(|answer| answer.value.as_ref())
        .filter(|value| matches!(value, Value::Map(_)))
    else {
        board.act(BY, action, Level::Normal, SalesReason::AutonomousFallback);
        return;
    };
    let reasoning = decision
        .get("reasoning")
        .and_then(Value::as_text)
        .unwrap_or_default();
    let text = beginning(reasoning, MAX_REASON_CHARS);
    let text = if text.is_empty() {
        None
    } else {
        board.keep_text(text)
    };
    board.act(
        BY,
        action,
        Level::Normal,
        SalesReason::AutonomousAction(text),
    );
    let moves = decision.get("should_transition").is_some_and(Value::truthy);
    let Some(name) = decision
        .get("next_state")
        .and_then(Value::as_text)
        .filter(|name| moves && !name.is_empty())
    else {
        return;
    };
    let to = sales.turn.machine.names.states.id(name);
    let allowed = |state| {
        sales.turn.machine.is_declared(state) || sales.config.autonomous_targets.contains(&state)
    };
    if let Some(to) = to.filter(|state| allowed(*state)) {
        board.go(
            BY,
            to,
            Level::Normal,
            SalesReason::AutonomousTransition(text),
        );
    }
}
