//! Finds unreachable states and dead ends.

use std::collections::BTreeSet;

use fsmsim_core::engine::{Machine, StateGraph};
use fsmsim_core::machine::StateId;
use fsmsim_syntax::diagnostic::{Code, Diagnostic, listed};

/// The maximum number of additional states that a finding names.
const MAX_NAMED: usize = 4;

/// Checks the states that the machine itself defines. States from a shared base may be unused in this machine. A dead
/// end that a policy explains is not reported again.
pub(super) fn check(
    machine: &Machine,
    map: &StateGraph,
    of_policies: &[Diagnostic],
    found: &mut Vec<Diagnostic>,
) {
    let own = |id: StateId| machine.state(id).span.filter(|span| machine.is_own(*span));
    let places = || {
        machine
            .declared_states()
            .filter(|(_, state)| !state.is_target_only())
    };
    if let Some(reached) = map.reached(machine) {
        let unreached = places()
            .map(|(id, _)| id)
            .filter(|id| !reached[*id] && own(*id).is_some())
            .collect();
        unreachable(machine, map, &unreached, found);
    }
    for (id, state) in places() {
        let Some(span) = own(id) else { continue };
        let is_reported = || {
            let mut reported = of_policies
                .iter()
                .filter(|it| it.code == Code::DataLeadsNowhere);
            reported.any(|finding| finding.labels.iter().any(|label| label.span == span))
        };
        if !state.is_final && is_stuck(machine, map, id) && !is_reported() {
            let name = machine.names.states.name(id);
            found.push(
                Diagnostic::warning(
                    Code::DeadEnd,
                    format!("state `{name}` has no outgoing transition"),
                )
                .at(span, "dead end")
                .help("add a transition, or mark the state as final"),
            );
        }
    }
}

/// Reports unreachable states. If states are reached only from an unreachable state, one finding covers them all.
fn unreachable(
    machine: &Machine,
    map: &StateGraph,
    unreached: &BTreeSet<StateId>,
    found: &mut Vec<Diagnostic>,
) {
    let initial = machine.names.states.name(machine.initial);
    let mut groups: Vec<(StateId, BTreeSet<StateId>)> = Vec::new();
    let mut reported = BTreeSet::new();
    for first in unreached {
        if reported.contains(first) {
            continue;
        }
        let mut followers = BTreeSet::new();
        let mut open = vec![*first];
        while let Some(state) = open.pop() {
            // A state that follows an earlier head belongs to that head. The earlier head itself can belong to the
            // current one.
            if !unreached.contains(&state)
                || reported.contains(&state) && !groups.iter().any(|(head, _)| *head == state)
            {
                continue;
            }
            if followers.insert(state) {
                open.extend(map.next(state));
            }
        }
        groups.retain(|(head, others)| {
            let hangs = followers.contains(head);
            if hangs {
                followers.extend(others);
            }
            !hangs
        });
        reported.extend(followers.iter().copied());
        followers.remove(first);
        groups.push((*first, followers));
    }
    for (first, followers) in groups {
        let Some(span) = machine.state(first).span else {
            continue;
        };
        let name = machine.names.states.name(first);
        let finding = Diagnostic::warning(
            Code::Unreachable,
            format!("state `{name}` is unreachable from `{initial}`"),
        )
        .at(span, "never entered")
        .help("add a transition to the state, or remove it");
        found.push(match named(machine, &followers) {
            Some(names) => finding.note(format!("only this state leads to {names}")),
            None => finding,
        });
    }
}

/// The names of states for a note. `None` if `states` is empty.
pub(super) fn named(machine: &Machine, states: &BTreeSet<StateId>) -> Option<String> {
    let names = states.iter().map(|state| machine.names.states.name(*state));
    (!states.is_empty()).then(|| listed(names, MAX_NAMED))
}

/// Whether a state leads to no other state. A state in which a language model decides can lead anywhere. If a policy
/// handles all turns, a turn can end in the state in which it started.
pub(super) fn is_stuck(machine: &Machine, map: &StateGraph, id: StateId) -> bool {
    !machine.policies.inputs().is_whole
        && !machine.is_decided(id)
        && map.next(id).iter().all(|next| *next == id)
}
