//! States that cannot be reached, and states that cannot be left.

use std::collections::BTreeSet;

use fsmsim_core::engine::{Machine, StateGraph};
use fsmsim_core::machine::StateId;
use fsmsim_syntax::diagnostic::{Code, Diagnostic, listed};

/// How many states a finding names beside its own.
const NAMED: usize = 4;

/// Looks at all states that are the machine's own. A base that several machines share has states that this one has no use
/// for. A state of which a policy says why nothing leads on from it is not told again.
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
            .filter(|(_, state)| !state.is_branch_end())
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
        let is_told = || {
            let mut told = of_policies
                .iter()
                .filter(|it| it.code == Code::DataLeadsNowhere);
            told.any(|finding| finding.labels.iter().any(|label| label.span == span))
        };
        if !state.is_final && is_stuck(machine, map, id) && !is_told() {
            let name = machine.names.states.name(id);
            found.push(
                Diagnostic::warning(Code::DeadEnd, format!("nothing leads out of `{name}`"))
                    .at(span, "this state")
                    .help("add transitions, or mark the state as final"),
            );
        }
    }
}

/// Tells of states that are never entered. What lies behind one of them alone is told with it.
fn unreachable(
    machine: &Machine,
    map: &StateGraph,
    unreached: &BTreeSet<StateId>,
    found: &mut Vec<Diagnostic>,
) {
    let initial = machine.names.states.name(machine.initial);
    let mut groups: Vec<(StateId, BTreeSet<StateId>)> = Vec::new();
    let mut told = BTreeSet::new();
    for first in unreached {
        if told.contains(first) {
            continue;
        }
        let mut behind = BTreeSet::new();
        let mut open = vec![*first];
        while let Some(state) = open.pop() {
            // What an earlier one leads to hangs on that one; the earlier one itself may hang on this.
            if !unreached.contains(&state)
                || told.contains(&state) && !groups.iter().any(|(head, _)| *head == state)
            {
                continue;
            }
            if behind.insert(state) {
                open.extend(map.next(state));
            }
        }
        groups.retain(|(head, others)| {
            let hangs = behind.contains(head);
            if hangs {
                behind.extend(others);
            }
            !hangs
        });
        told.extend(behind.iter().copied());
        behind.remove(first);
        groups.push((*first, behind));
    }
    for (first, behind) in groups {
        let Some(span) = machine.state(first).span else {
            continue;
        };
        let name = machine.names.states.name(first);
        let finding = Diagnostic::warning(
            Code::Unreachable,
            format!("no way leads from `{initial}` to `{name}`"),
        )
        .at(span, "never entered")
        .help("lead to it, or remove it");
        found.push(match named(machine, &behind) {
            Some(names) => finding.note(format!("only it leads on to {names}")),
            None => finding,
        });
    }
}

/// States as they are named beside a finding; nothing where there are none.
pub(super) fn named(machine: &Machine, states: &BTreeSet<StateId>) -> Option<String> {
    let names = states.iter().map(|state| machine.names.states.name(*state));
    (!states.is_empty()).then(|| listed(names, NAMED))
}

/// Whether a state leads to no other. Where a model may decide, it leads anywhere; where a policy takes all turns, one may
/// end as it began.
pub(super) fn is_stuck(machine: &Machine, map: &StateGraph, id: StateId) -> bool {
    !machine.policies.inputs().is_whole
        && !machine.is_decided(id)
        && map.next(id).iter().all(|next| *next == id)
}
