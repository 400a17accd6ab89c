//! A language model decides how an autonomous state goes on (docs/sales.md, "Autonomous decision").

use super::super::board::Blackboard;
use super::super::reason::Reason;
use super::super::view::TurnContext;
use crate::machine::{Level, SourceKind, Value};

const BY: SourceKind = SourceKind::AutonomousDecision;
/// How much of the model's reasoning the reason code keeps, in characters.
const REASON_LENGTH: usize = 50;

/// The model's move and words, or the fallback where it gave nothing.
pub(super) fn contribute(view: &TurnContext<'_>, board: &mut Blackboard) {
    if !view.settings.model {
        return;
    }
    let action = view.machine.vocabulary.actions.autonomous;
    let Some(decision) =
        view.answer.and_then(|answer| answer.value.as_ref()).filter(|value| matches!(value, Value::Map(_)))
    else {
        board.act(BY, action, Level::Normal, Reason::AutonomousFallback);
        return;
    };
    let reasoning = decision.get("reasoning").and_then(Value::as_text).unwrap_or_default();
    let text: String = reasoning.chars().take(REASON_LENGTH).collect();
    let text = if text.is_empty() { None } else { board.keep_text(&text) };
    board.act(BY, action, Level::Normal, Reason::AutonomousAction(text));
    let moves = decision.get("should_transition").is_some_and(Value::truthy);
    let Some(name) =
        decision.get("next_state").and_then(Value::as_text).filter(|name| moves && !name.is_empty())
    else {
        return;
    };
    let to = view.machine.names.states.id(name);
    let allowed = |state| {
        view.machine.is_declared(state) || view.machine.vocabulary.autonomous_targets.contains(&state)
    };
    if let Some(to) = to.filter(|state| allowed(*state)) {
        board.go(BY, to, Level::Normal, Reason::AutonomousTransition(text));
    }
}
