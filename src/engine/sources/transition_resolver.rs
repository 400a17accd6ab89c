//! The state's own transition for the intent (FLOW section 12.13).

use super::super::board::Board;
use super::super::reason::Reason;
use super::super::signals::Scope;
use super::super::view::View;
use crate::machine::{Clause, Level, Outcome, Roles, SourceKind};

const BY: SourceKind = SourceKind::TransitionResolver;

/// The first alternative that applies; a condition without a value does not.
pub(super) fn contribute(view: &View<'_>, board: &mut Board) {
    let Some(chain) = view.here().transitions.get(view.intent) else {
        return;
    };
    if let Ok(Some(Clause { then: Outcome::State(to), rule, .. })) = view.first(chain, Scope::Most, true) {
        let level = if view.is(Roles::URGENT_MOVE) { Level::High } else { Level::Normal };
        board.go(BY, *to, level, Reason::IntentTransition(view.intent)).rule = Some(*rule);
    }
}

/// The transition `any`, to be asked for when nobody else proposed a move (switch `any_trigger`).
pub(in crate::engine) fn propose_any(view: &View<'_>, board: &mut Board) {
    if let Some((to, rule)) = view.resolve_target(view.here().any) {
        board.go(BY, to, Level::Normal, Reason::AnyTransition).rule = Some(rule);
    }
}
