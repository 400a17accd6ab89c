//! The state's own transition for the intent (docs/sales.md, "Transition resolver").

use super::super::board::Blackboard;
use super::super::reason::Reason;
use super::super::signals::Scope;
use super::super::view::TurnContext;
use crate::machine::{Clause, Consequent, Level, Roles, SourceKind};

const BY: SourceKind = SourceKind::TransitionResolver;

/// The first alternative that applies; a condition without a value does not.
pub(super) fn contribute(view: &TurnContext<'_>, board: &mut Blackboard) {
    let Some(chain) = view.here().transitions.get(view.intent) else {
        return;
    };
    if let Ok(Some(Clause { then: Consequent::State(to), rule, .. })) = view.first(chain, Scope::Most, true) {
        let level = if view.is(Roles::URGENT_MOVE) { Level::High } else { Level::Normal };
        board.go(BY, *to, level, Reason::IntentTransition(view.intent)).rule = Some(*rule);
    }
}

/// The transition `any`, to be asked for when nobody else proposed a move (switch `any_trigger`).
pub(in crate::engine) fn propose_any(view: &TurnContext<'_>, board: &mut Blackboard) {
    if let Some((to, rule)) = view.resolve_target(view.here().any) {
        board.go(BY, to, Level::Normal, Reason::AnyTransition).rule = Some(rule);
    }
}
