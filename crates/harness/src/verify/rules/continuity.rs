//! A turn begins where the one before it ended.

use super::{CheckContext, Finding};

/// Where branches run, the turn may belong to another one than the turn before.
pub(super) fn check(context: &CheckContext<'_>, breaches: &mut Vec<Finding>) {
    let (Some(known), Some(from)) = (context.shadow.state, context.now.from()) else {
        return;
    };
    if known == from {
        return;
    }
    if let Some(state) = context.state_before()
        && context.reachability.branches(state) | context.shadow.visited.contains(&state)
        && context.reachability.has_branches()
    {
        return;
    }
    let found = format!("the turn begins in `{from}`");
    let declared = format!("the dialogue is in `{known}`");
    breaches.push(context.breach(
        "broken_continuity",
        context.machine().state_id(known),
        found,
        declared,
    ));
}
