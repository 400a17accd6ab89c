//! States that cannot be reached, and states that cannot be left.

use std::collections::BTreeSet;
use std::path::Path;

use fsmsim_core::engine::{Machine, SourceKind, StateGraph};
use fsmsim_core::machine::{ChainId, Consequent, State, StateId, Traits};
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Span, listed};

/// How many states a finding names beside its own.
const NAMED: usize = 4;

/// Looks at all states that are the machine's own. A base that several machines share has states that this one has no use
/// for.
pub(super) fn check(machine: &Machine, map: &StateGraph, found: &mut Vec<Diagnostic>) {
    let own = |id: StateId| machine.state(id).span.filter(|span| is_own(machine, *span));
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
        if !state.is_final && is_stuck(machine, map, id, state) && !requires_in_vain(machine, state)
        {
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

/// Whether a state leads to no other. Where a model may decide, it leads anywhere.
pub(super) fn is_stuck(machine: &Machine, map: &StateGraph, id: StateId, state: &State) -> bool {
    // Where the classes of a contract are all there is, a turn may end as it began.
    if machine.contract().is_some_and(|contract| contract.is_whole) {
        return false;
    }
    let decides = state.source_filter.and(machine.settings().enabled);
    !decides.has(SourceKind::AutonomousDecision) && map.next(id).iter().all(|next| *next == id)
}

/// Whether something is written in the files that the machine is named by.
pub(super) fn is_own(machine: &Machine, span: Span) -> bool {
    Path::new(machine.files.path(span.file)).starts_with(&machine.header.source)
}

/// Whether a state requires data, and nothing leads on from it: no `data_complete`, nor any other way than to give up, to
/// object or to step back.
pub(super) fn requires_in_vain(machine: &Machine, state: &State) -> bool {
    if state.is_final
        || state.required.is_empty()
        || state.node.is_some()
        || machine.sales().is_none()
    {
        return false;
    }
    // Where turns in a state are limited, it is left by force; where phases have an order, by progress.
    let other = state.data_complete.is_some() || state.any.is_some() || state.fallback.is_some();
    if other || state.max_turns > 0 || state.entry.is_some() {
        return false;
    }
    let gives_up = Traits::OBJECTION | Traits::GO_BACK | Traits::URGENT_MOVE | Traits::SETBACK;
    let own = machine
        .sales()
        .map(|sales| [sales.states.soft_close, sales.states.escalation])
        .unwrap_or_default();
    let leads_on = |chain: ChainId| {
        machine
            .clauses(chain)
            .iter()
            .any(|clause| match clause.then {
                Consequent::State(to) => machine.state(to).declared && !own.contains(&Some(to)),
                Consequent::Action(_) => machine.effects_lead(clause.rule).next().is_some(),
            })
    };
    let tables = state.transitions.iter().chain(state.rules.iter());
    !tables
        .filter(|(intent, _)| !machine.intent(*intent).traits.intersects(gives_up))
        .any(|(_, chain)| leads_on(chain))
}
