//! Accepts or refuses to go back.

use crate::engine::policy::sales::{PendingGoBack, SalesTurn};
use crate::engine::{Blackboard, SalesNotes, SalesReason, SourceKind};
use crate::machine::{EdgeMark, Level, Target};

const BY: SourceKind = SourceKind::GoBackGuard;

/// The state's transition proposes the go-back; this source accepts it. A go-back is counted when it is completed.
pub(super) fn contribute(sales: &SalesTurn<'_>, notes: &mut SalesNotes, board: &mut Blackboard) {
    let state = sales.turn.here();
    let actions = &sales.config.actions;
    let switches = &sales.turn.settings.switches;
    if !state.go_back.is_some() && state.allowed_go_back.is_none() {
        return;
    }
    let flag = sales.config.flags.circular_flow;
    if switches.circular_flow && !flag.is_some_and(|flag| sales.turn.settings.flag(flag)) {
        board.block(
            BY,
            sales.turn.machine.well_known.continue_goal,
            Level::High,
            SalesReason::GoBackDisabled,
        );
        return;
    }
    if sales
        .memory
        .go_backs_left(sales.limit(sales.config.limits.go_backs))
        == 0
    {
        board.block(
            BY,
            actions.go_back_refused,
            Level::High,
            SalesReason::GoBackLimitReached,
        );
        return;
    }
    board.act(
        BY,
        actions.go_back,
        Level::Normal,
        SalesReason::GoBackAllowed,
    );
    let to = match state.go_back {
        Target::None => state.allowed_go_back,
        Target::State(to, _) => Some(to),
        Target::Chain(_) => None,
    };
    notes.go_back = Some(PendingGoBack {
        from: sales.turn.state,
        to,
    });
    // Each go-back intent leads back, such as `correct_info` in a state that has only a transition `go_back`.
    if switches.go_back_target && state.transitions.get(sales.turn.intent).is_none() {
        let step = match state.go_back {
            Target::None => sales
                .turn
                .proposable(state.allowed_go_back)
                .map(|to| (to, None)),
            target => sales
                .turn
                .resolve_target(target)
                .map(|(to, rule)| (to, Some(rule))),
        };
        if let Some((to, rule)) = step {
            let proposal = board.go(BY, to, Level::Normal, SalesReason::GoBackAllowed);
            proposal.rule = rule;
            proposal.mark = Some(EdgeMark::Back);
        }
    }
}
