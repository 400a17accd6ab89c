//! Finds asides from which no dialogue resumes, and states that should be asides.

use std::collections::{BTreeMap, BTreeSet};

use super::paths::named;
use fsmsim_core::engine::{Machine, StateGraph};
use fsmsim_core::machine::StateId;
use fsmsim_syntax::diagnostic::{Code, Diagnostic};

/// The minimum number of states that enter a likely aside.
const MIN_ENTRIES: usize = 3;

/// Checks the states that the machine itself defines. A policy with its own interruption returns from it without
/// `resume`, and reports likely interruptions itself.
pub(super) fn check(machine: &Machine, map: &StateGraph, found: &mut Vec<Diagnostic>) {
    let mut entered: BTreeMap<StateId, BTreeSet<StateId>> = BTreeMap::new();
    for (from, _) in machine.declared_states() {
        for to in map.next(from).iter().filter(|to| **to != from) {
            entered.entry(*to).or_default().insert(from);
        }
    }
    for (id, state) in machine.declared_states() {
        let Some(span) = state.span.filter(|span| machine.is_own(*span)) else {
            continue;
        };
        let lead = machine.policies.lead(machine, machine.settings(), id);
        let name = machine.names.states.name(id);
        let sources = entered.get(&id).filter(|_| lead.interrupts.is_none());
        let (code, title, help) = if state.aside != Some(id) {
            let back = sources.and_then(|sources| returns(machine, map, id, sources));
            let Some(back) = back.and_then(|back| named(machine, &back)) else {
                continue;
            };
            let title =
                format!("state `{name}` interrupts several states, and returns only to {back}");
            let help = "set `aside: true`, and replace the transitions back by `resume`";
            (Code::LikelyAside, title, help)
        } else if lead.interrupts != Some(id) && !resumes(machine, map, id) {
            let title = format!("aside `{name}` does not lead to `resume`");
            let help = "add a transition to `resume`, or remove `aside: true`";
            (Code::ResumeMissing, title, help)
        } else {
            continue;
        };
        found.push(
            Diagnostic::warning(code, title)
                .at(span, "does not resume")
                .help(help),
        );
    }
}

/// Whether an aside leads to `resume`. Leaving the aside for another state ends it, so only its own states and control
/// nodes count.
fn resumes(machine: &Machine, map: &StateGraph, aside: StateId) -> bool {
    let is_inside = |id: StateId| {
        let state = machine.state(id);
        state.aside == Some(aside) || state.node.is_some()
    };
    let mut reached = reached(map, aside, is_inside).into_iter();
    reached.any(|id| machine.state(id).is_resume())
}

/// The states to which a likely aside returns: some of those that enter it. From a hub, dialogues also return, but they
/// reach the returning states only through the hub.
fn returns(
    machine: &Machine,
    map: &StateGraph,
    id: StateId,
    sources: &BTreeSet<StateId>,
) -> Option<BTreeSet<StateId>> {
    let state = machine.state(id);
    let has_role = state.aside.or(state.region).is_some() || state.node.is_some() || state.is_final;
    if has_role || state.phase.is_some() || !state.required.is_empty() || id == machine.initial {
        return None;
    }
    let leads = map.next(id).iter().copied();
    let back: BTreeSet<StateId> = leads
        .filter(|to| *to != id && !machine.state(*to).is_final)
        .collect();
    let is_partial = !back.is_empty() && back.len() < sources.len() && back.is_subset(sources);
    let is_likely = is_partial
        && sources.len() >= MIN_ENTRIES
        && back.is_subset(&reached(map, machine.initial, |to| to != id));
    is_likely.then_some(back)
}

/// The states that paths through certain states reach.
fn reached(map: &StateGraph, from: StateId, passes: impl Fn(StateId) -> bool) -> BTreeSet<StateId> {
    let mut seen = BTreeSet::from([from]);
    let mut open = vec![from];
    while let Some(state) = open.pop() {
        let next = map.next(state).iter();
        open.extend(next.filter(|next| passes(**next) && seen.insert(**next)));
    }
    seen
}
