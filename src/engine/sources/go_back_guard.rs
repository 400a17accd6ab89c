//! Accepts or refuses a step back (docs/sales.md, "Go-back guard").

use super::super::board::{Blackboard, PendingGoBack};
use super::super::reason::Reason;
use super::super::view::TurnContext;
use crate::machine::{Level, SourceKind, Target};

const BY: SourceKind = SourceKind::GoBackGuard;

/// The step itself is proposed by the state's transition; here it is acknowledged, and counted once it has happened.
pub(super) fn contribute(view: &TurnContext<'_>, board: &mut Blackboard) {
    let state = view.here();
    let actions = &view.machine.vocabulary.actions;
    let switches = &view.settings.switches;
    if !state.go_back.is_some() && state.allowed_go_back.is_none() {
        return;
    }
    let flag = view.machine.vocabulary.flags.circular_flow;
    if switches.circular_flow && !flag.is_some_and(|flag| view.settings.flag(flag)) {
        board.block(BY, actions.continue_goal, Level::High, Reason::GoBackDisabled);
        return;
    }
    if view.session.go_backs_left(view.settings) == 0 {
        board.block(BY, actions.go_back_refused, Level::High, Reason::GoBackLimitReached);
        return;
    }
    board.act(BY, actions.go_back, Level::Normal, Reason::GoBackAllowed);
    let to = match state.go_back {
        Target::None => state.allowed_go_back,
        Target::State(to, _) => Some(to),
        Target::Chain(_) => None,
    };
    board.go_back = Some(PendingGoBack { from: view.state, to });
    if switches.go_back_target
        && !state.go_back.is_some()
        && let Some(to) = view.proposable(state.allowed_go_back)
    {
        board.go(BY, to, Level::Normal, Reason::GoBackAllowed);
    }
}
