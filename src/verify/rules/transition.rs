//! The model could take the move at all, whatever its conditions say.

use super::super::check_context::{CheckContext, RuleBreach};
use crate::machine::{Id, SourceKind, StateId};

/// States that a finding names.
const NAMED: usize = 8;

pub(super) fn check(sight: &CheckContext<'_>, breaches: &mut Vec<RuleBreach>) {
    let (Some(from), Some(to)) = (sight.from, sight.to_id()) else { return };
    if !sight.moved() {
        return;
    }
    let machine = sight.machine();
    let place = match machine.state_id(from) {
        Some(state) => state,
        // Only somebody outside puts a dialogue where the model has no state, and from there only force leads.
        None if !sight.memory.placed => return,
        None => StateId::from_index(machine.states.len()),
    };
    if may(sight, place, to) {
        return;
    }
    let declared: Vec<&str> = sight.ground.named(place).collect();
    let declared = if declared.is_empty() {
        format!("nothing leads out of `{from}`")
    } else {
        let shown = declared.iter().take(NAMED).map(|name| format!("`{name}`")).collect::<Vec<_>>();
        let more = if declared.len() > NAMED { ", …" } else { "" };
        format!("`{from}` leads to {}{more}", shown.join(", "))
    };
    let found = format!("`{from}` → `{}`", sight.to);
    breaches.push(sight.breach("undeclared_transition", machine.state_id(from), found, declared));
}

fn may(sight: &CheckContext<'_>, from: StateId, to: StateId) -> bool {
    let (ground, machine, memory, settings) = (sight.ground, sight.machine(), sight.memory, sight.settings);
    let guided = machine.instructions.is_some();
    ground.leads(from, to)
        || guided && settings.permissive
        || decides(sight, from)
        || returns(sight, from, to)
        || ground.has_branches() && (ground.branches(to) || memory.visited.contains(&to))
        || memory.visited.contains(&to) && ground.re_enters(from, to)
        || settings.guard.is_some() && ground.completes(from, to)
}

/// Whether a model may decide where the state leads.
fn decides(sight: &CheckContext<'_>, from: StateId) -> bool {
    let source = SourceKind::AutonomousDecision;
    sight.settings.model
        && sight.settings.sources.has(source)
        && sight.machine().state(from).interest.has(source)
}

/// Whether the move leads back to where the dialogue was interrupted. Where the trace does not tell what was kept, it may
/// be any place from which the interruption could have come, or to which it stopped a move.
fn returns(sight: &CheckContext<'_>, from: StateId, to: StateId) -> bool {
    let (ground, machine, memory) = (sight.ground, sight.machine(), sight.memory);
    if let Some(kept) = memory.return_state {
        let kept = kept.and_then(|name| machine.state_id(name));
        return kept.is_some_and(|kept| ground.passes(kept, to));
    }
    let mut visited = memory.visited.iter();
    if machine.instructions.as_ref().is_some_and(|instructions| instructions.is_aside(from)) {
        return visited.any(|state| *state == to || ground.leads(*state, to));
    }
    let handling = machine.vocabulary.places.handle_objection;
    let interrupted = handling.is_some_and(|handling| memory.visited.contains(&handling));
    interrupted && visited.any(|state| ground.passes(*state, to))
}
