//! Likely mistakes in a sales dialogue.

use std::collections::BTreeSet;

use crate::engine::{Machine, SalesConfig};
use crate::machine::{ChainId, Consequent, State, StateId, Target, Traits};
use fsmsim_syntax::diagnostic::{Code, Diagnostic};

/// Checks all states of this machine.
pub(super) fn unused_data(sales: &SalesConfig, machine: &Machine, found: &mut Vec<Diagnostic>) {
    for (id, state) in machine.declared_states() {
        let Some(span) = state.span.filter(|span| machine.is_own(*span)) else {
            continue;
        };
        if requires_unused_data(sales, machine, state) {
            let name = machine.names.states.name(id);
            found.push(
                Diagnostic::warning(
                    Code::DataLeadsNowhere,
                    format!("required data of state `{name}` has no effect"),
                )
                .at(span, "has no `data_complete` transition")
                .help("add `data_complete: STATE` to the transitions of the state"),
            );
        }
    }
}

/// Whether a state requires data without any effect: it has no `data_complete`, and no transition except for giving
/// up, objecting or going back.
fn requires_unused_data(sales: &SalesConfig, machine: &Machine, state: &State) -> bool {
    if state.is_final || state.required.is_empty() || state.node.is_some() {
        return false;
    }
    // With one of these targets, a turn limit or entry operations, the dialogue can leave the state.
    let other = state.data_complete.is_some() || state.any.is_some() || state.fallback.is_some();
    if other || state.max_turns > 0 || state.entry.is_some() {
        return false;
    }
    let gives_up = Traits::OBJECTION | Traits::GO_BACK | Traits::URGENT_MOVE | Traits::SETBACK;
    let own = [sales.states.soft_close, sales.states.escalation];
    let leads_on = |chain: ChainId| {
        machine
            .alternatives(chain)
            .iter()
            .any(|alternative| match alternative.then {
                Consequent::State(to) => machine.state(to).declared && !own.contains(&Some(to)),
                Consequent::Action(_) => machine.effects_lead(alternative.rule).next().is_some(),
            })
    };
    let tables = state.transitions.iter().chain(state.rules.iter());
    !tables
        .filter(|(intent, _)| !machine.intent(*intent).traits.intersects(gives_up))
        .any(|(_, chain)| leads_on(chain))
}

/// Checks for a state that is entered only by objections, if the state for objections is not defined.
pub(super) fn objection_state(sales: &SalesConfig, machine: &Machine, found: &mut Vec<Diagnostic>) {
    let Some(expected) = sales
        .states
        .handle_objection
        .filter(|state| !machine.is_declared(*state))
    else {
        return;
    };
    let mut entered = Entries::default();
    for (id, state) in machine.declared_states() {
        entered.collect(machine, id, state);
    }
    let others = [
        sales.states.soft_close,
        sales.states.escalation,
        sales.states.closing,
        Some(machine.initial),
    ];
    let mut targets = entered
        .by_objection
        .iter()
        .filter(|to| !entered.otherwise.contains(to))
        .copied()
        .filter(|to| !others.contains(&Some(*to)) && !machine.state(*to).is_final);
    let Some((id, span)) = targets.find_map(|id| {
        Some((
            id,
            machine
                .state(id)
                .span
                .filter(|span| machine.is_own(*span))?,
        ))
    }) else {
        return;
    };
    let name = machine.names.states.name(id);
    let expected = machine.names.states.name(expected);
    found.push(
        Diagnostic::warning(
            Code::ObjectionState,
            format!("objections lead to `{name}`, but dialogues return only from `{expected}`"),
        )
        .at(span, "never returns")
        .help(format!(
            "rename the state to `{expected}`, or set `constants: {{states: {{handle_objection: {name}}}}}`"
        )),
    );
}

/// The states that are entered by objections, and by other transitions.
#[derive(Default)]
struct Entries {
    by_objection: BTreeSet<StateId>,
    otherwise: BTreeSet<StateId>,
}

impl Entries {
    fn collect(&mut self, machine: &Machine, from: StateId, state: &State) {
        for (intent, chain) in state.transitions.iter() {
            let objects = machine.intent(intent).has(Traits::OBJECTION);
            let entered = if objects {
                &mut self.by_objection
            } else {
                &mut self.otherwise
            };
            entered.extend(machine.chain_states(chain).filter(|to| *to != from));
        }
        self.otherwise
            .extend(state.node.iter().flat_map(|node| node.leads()));
        for target in state.targets() {
            match target {
                Target::None => {}
                Target::State(to, _) => self.otherwise.extend([to]),
                Target::Chain(chain) => self.otherwise.extend(machine.chain_states(chain)),
            }
        }
    }
}
