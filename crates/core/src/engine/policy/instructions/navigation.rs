//! Navigation: the dialogue goes where the word of whoever plays the assistant leads, if the state declares it.

use crate::engine::policy::Guidance;
use crate::engine::{
    Blackboard, Consent, Input, InstructionsReason, Machine, SourceKind, Symbol, TurnContext,
};
use crate::machine::{Level, StateId, Value};

/// Proposes the move that the turn asks for. One that the state does not declare is stopped, unless the settings permit
/// it; one to the state that was kept to return to is always declared.
pub(super) fn contribute(
    guidance: &Guidance,
    turn: &TurnContext<'_>,
    board: &mut Blackboard,
    permissive: bool,
) {
    let by = SourceKind::Navigation;
    let Some(wanted) = &turn.input.goto else {
        return;
    };
    let target = wanted
        .known()
        .filter(|target| turn.machine.is_declared(*target));
    let declared = target.and_then(|target| guidance.of(turn.state)?.move_to(target));
    let returns = target.is_some() && target == turn.session.return_state;
    let stays = target == Some(turn.state);
    match (target, declared) {
        (Some(target), _) if stays || returns => go(board, target, InstructionsReason::Navigated),
        (Some(target), Some(declared)) => {
            board
                .go(by, target, Level::Normal, InstructionsReason::Navigated)
                .rule = Some(declared.rule);
        }
        (Some(target), None) if permissive => {
            go(board, target, InstructionsReason::UndeclaredTaken);
        }
        (target, None) => {
            if let Some(target) = target {
                go(board, target, InstructionsReason::Navigated);
            }
            board.block(
                by,
                turn.machine.well_known.continue_goal,
                Level::High,
                InstructionsReason::UndeclaredTransition,
            );
        }
        (None, Some(_)) => {}
    }
}

fn go(board: &mut Blackboard, target: StateId, reason: InstructionsReason) {
    board.go(SourceKind::Navigation, target, Level::Normal, reason);
}

impl Input {
    /// Whether whoever plays the assistant must say where the dialogue goes before the turn can begin.
    #[inline]
    pub fn needs_navigation(&self) -> bool {
        self.goto.is_none() && self.reply.is_none() && self.say.is_some()
    }

    /// The input as an event of a move leads it.
    pub fn led_to(&self, target: StateId) -> Self {
        Self {
            goto: Some(Symbol::Known(target)),
            ..self.clone()
        }
    }

    /// The input as whoever plays the assistant leads it. What the input says itself stays as it is.
    pub fn with_navigation(&self, answer: &Value, machine: &Machine) -> Self {
        let mut input = self.clone();
        let text = |key: &str| {
            answer
                .get(key)
                .and_then(Value::as_text)
                .filter(|text| !text.is_empty())
        };
        input.goto = text("target").map(|name| Symbol::of(name, &machine.names.states));
        input.reply = text("reply").map(Into::into);
        let word = |key: &str| match answer.get("consent")?.get(key)? {
            Value::Bool(word) => Some(*word),
            _ => None,
        };
        input.consent = Consent {
            read: word("read"),
            write: word("write"),
        }
        .then(self.consent);
        input
    }
}
