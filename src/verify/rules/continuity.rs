//! A turn begins where the one before it ended.

use super::super::check_context::{CheckContext, RuleBreach};

/// Where branches run, the turn may belong to another one than the turn before.
pub(super) fn check(sight: &CheckContext<'_>, breaches: &mut Vec<RuleBreach>) {
    let (Some(known), Some(from)) = (sight.memory.state, sight.now.from()) else { return };
    if known == from {
        return;
    }
    if let Some(state) = sight.from_id()
        && sight.ground.branches(state) | sight.memory.visited.contains(&state)
        && sight.ground.has_branches()
    {
        return;
    }
    let found = format!("the turn begins in `{from}`");
    let declared = format!("the dialogue is in `{known}`");
    breaches.push(sight.breach("broken_continuity", sight.machine().state_id(known), found, declared));
}
