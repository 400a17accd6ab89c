//! Navigation: the dialogue goes where the word of whoever plays the assistant leads, if the state declares it
//! (docs/markdown.md, "Playing it").

use crate::engine::board::Blackboard;
use crate::engine::reason::Reason;
use crate::engine::view::TurnContext;
use crate::machine::{Level, SourceKind, StateId};

/// Proposes the move that the turn asks for. One that the state does not declare is stopped, unless the settings permit
/// it; one to the state that was kept to return to is always declared.
pub(super) fn contribute(view: &TurnContext<'_>, board: &mut Blackboard) {
    let by = SourceKind::Navigation;
    let Some(wanted) = &view.input.goto else { return };
    let target = wanted.known().filter(|target| view.machine.is_declared(*target));
    let declared = target.and_then(|target| view.here().guide.as_ref()?.move_to(target));
    let returns = target.is_some() && target == view.session.return_state;
    let stays = target == Some(view.state);
    match (target, declared) {
        (Some(target), _) if stays || returns => go(board, target, Reason::Navigated),
        (Some(target), Some(declared)) => {
            board.go(by, target, Level::Normal, Reason::Navigated).rule = Some(declared.rule);
        }
        (Some(target), None) if view.settings.permissive => go(board, target, Reason::UndeclaredTaken),
        (target, None) => {
            if let Some(target) = target {
                go(board, target, Reason::Navigated);
            }
            board.block(
                by,
                view.machine.vocabulary.actions.continue_goal,
                Level::High,
                Reason::UndeclaredTransition,
            );
        }
        (None, Some(_)) => {}
    }
}

fn go(board: &mut Blackboard, target: StateId, reason: Reason) {
    board.go(SourceKind::Navigation, target, Level::Normal, reason);
}
