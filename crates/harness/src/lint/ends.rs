//! Finds states that cannot reach an end of the dialogue, because they lead only to each other.

use std::collections::{BTreeMap, BTreeSet};

use super::paths::{is_stuck, named};
use fsmsim_core::engine::{Machine, StateGraph};
use fsmsim_core::machine::StateId;
use fsmsim_syntax::diagnostic::{Code, Diagnostic};

/// Reports groups of states that lead only to each other. A machine without any end state is meant to run forever. Dead
/// ends, and the states that lead only to them, are reported by another rule.
pub(super) fn check(machine: &Machine, map: &StateGraph, found: &mut Vec<Diagnostic>) {
    let Some(reached) = map.reached(machine) else {
        return;
    };
    if machine.policies.inputs().is_whole {
        return;
    }
    let states = || machine.declared_states();
    let ends: Vec<StateId> = states()
        .filter(|(_, state)| state.is_final || state.final_if.is_some())
        .map(|(id, _)| id)
        .collect();
    if ends.is_empty() {
        return;
    }
    let stops = |id: StateId| {
        let state = machine.state(id);
        machine.is_decided(id) || state.is_target_only() || is_stuck(machine, map, id)
    };
    let mut before: BTreeMap<StateId, Vec<StateId>> = BTreeMap::new();
    for (id, _) in states() {
        for next in map.next(id) {
            before.entry(*next).or_default().push(id);
        }
    }
    let mut leads: BTreeSet<StateId> = BTreeSet::new();
    let mut open: Vec<StateId> = states()
        .map(|(id, _)| id)
        .filter(|id| stops(*id))
        .chain(ends)
        .collect();
    while let Some(state) = open.pop() {
        if leads.insert(state) {
            open.extend(before.get(&state).into_iter().flatten());
        }
    }
    let mut left: BTreeSet<StateId> = states()
        .map(|(id, _)| id)
        .filter(|id| !leads.contains(id) && reached[*id])
        .collect();
    while let Some(first) = left.first().copied() {
        let mut group = BTreeSet::new();
        let mut open = vec![first];
        while let Some(state) = open.pop() {
            if left.remove(&state) {
                group.insert(state);
                open.extend(
                    map.next(state)
                        .iter()
                        .chain(before.get(&state).into_iter().flatten()),
                );
            }
        }
        let place = |id: &StateId| {
            Some((
                *id,
                machine
                    .state(*id)
                    .span
                    .filter(|span| machine.is_own(*span))?,
            ))
        };
        let Some((head, span)) = group.iter().find_map(place) else {
            continue;
        };
        group.remove(&head);
        let name = machine.names.states.name(head);
        let finding = Diagnostic::warning(
            Code::NoEnd,
            format!("no end of the dialogue is reachable from `{name}`"),
        )
        .at(span, "the dialogue cannot end")
        .help("add a transition toward an end, or mark one of these states as final");
        found.push(match named(machine, &group) {
            Some(names) => finding.note(format!("the same applies to {names}")),
            None => finding,
        });
    }
}
