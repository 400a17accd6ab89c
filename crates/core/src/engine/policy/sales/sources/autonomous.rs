//! A language model decides how an autonomous state goes on.

use super::SalesTurn;
use crate::engine::blackboard::Blackboard;
use crate::engine::io::first_answer;
use crate::engine::policy::sales::reason::SalesReason;
use crate::engine::source_kind::SourceKind;
use crate::machine::{Level, NeedKind, Value};
use fsmsim_syntax::terminal::beginning;

const BY: SourceKind = SourceKind::AutonomousDecision;
/// How much of the model's reasoning the reason code keeps, in characters.
const REASON_LENGTH: usize = 50;

/// The model's move and words, or the fallback where it gave nothing.
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
    let text = beginning(reasoning, REASON_LENGTH);
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
