//! The state's own transition for the intent (docs/sales.md, "Transition resolver").

use crate::engine::blackboard::{Blackboard, Reason};
use crate::engine::condition::TurnContext;
use crate::engine::session::Scope;
use crate::engine::source_kind::SourceKind;
use crate::machine::{Clause, Consequent, EdgeMark, Level, Traits};

const BY: SourceKind = SourceKind::TransitionResolver;

/// The first alternative that applies; a condition without a value does not.
pub(super) fn contribute(turn: &TurnContext<'_>, board: &mut Blackboard) {
    let Some(chain) = turn.here().transitions.get(turn.intent) else {
        return;
    };
    if let Ok(Some(Clause {
        then: Consequent::State(to),
        rule,
        ..
    })) = turn.first(chain, Scope::Most, true)
    {
        let level = if turn.does(Traits::URGENT_MOVE) {
            Level::High
        } else {
            Level::Normal
        };
        let proposal = board.go(BY, *to, level, Reason::IntentTransition(turn.intent));
        proposal.rule = Some(*rule);
        // The intent of going back makes a step back of whatever it takes.
        proposal.mark = if turn.does(Traits::GO_BACK) {
            Some(EdgeMark::Back)
        } else {
            turn.machine.rules[*rule].mark
        };
    }
}

/// The transition `any`, to be asked for when nobody else proposed a move (switch `any_trigger`).
pub(in crate::engine) fn propose_any(turn: &TurnContext<'_>, board: &mut Blackboard) {
    if let Some((to, rule)) = turn.resolve_target(turn.here().any) {
        board.go(BY, to, Level::Normal, Reason::AnyTransition).rule = Some(rule);
    }
}
