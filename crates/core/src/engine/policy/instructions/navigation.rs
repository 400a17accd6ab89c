//! Navigation: the dialogue follows the transition that the assistant chose, if the state declares it.

use crate::engine::policy::Guidance;
use crate::engine::{
    Blackboard, Consent, Input, InstructionsReason, Machine, SourceKind, Symbol, TurnContext,
};
use crate::machine::{Level, StateId, Value};

/// Proposes the requested transition. If the state does not declare it, the transition is stopped, unless the
/// settings permit it. A transition to the return state is always declared.
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
    let returns = target.is_some() && target == turn.session.return_state();
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
    /// Whether the assistant must choose a transition before the turn can start.
    #[inline]
    pub fn needs_navigation(&self) -> bool {
        self.goto.is_none() && self.reply.is_none() && self.say.is_some()
    }

    /// The input with the target of an event's transition.
    pub fn led_to(&self, target: StateId) -> Self {
        Self {
            goto: Some(Symbol::Known(target)),
            ..self.clone()
        }
    }

    /// The input with the answer of the assistant. Values of the input take precedence.
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
        let consent_of = |key: &str| match answer.get("consent")?.get(key)? {
            Value::Bool(consent) => Some(*consent),
            _ => None,
        };
        input.consent = Consent {
            read: consent_of("read"),
            write: consent_of("write"),
        }
        .then(self.consent);
        input
    }
}
