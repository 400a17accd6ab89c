//! A state for objections that is not called as the sources expect it, so that no dialogue returns from it.

use std::collections::BTreeSet;

use super::SalesConfig;
use crate::engine::Machine;
use crate::machine::{ChainId, Consequent, State, StateId, Target, Traits};
use fsmsim_syntax::diagnostic::{Code, Diagnostic};

/// Looks for a state into which nothing but objections lead, where the state for objections itself is missing.
pub(in crate::engine::policy) fn check(
    sales: &SalesConfig,
    machine: &Machine,
    found: &mut Vec<Diagnostic>,
) {
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
    let led = entered
        .by_objection
        .iter()
        .filter(|to| !entered.otherwise.contains(to));
    let mut led = led
        .copied()
        .filter(|to| !others.contains(&Some(*to)) && !machine.state(*to).is_final);
    let Some((id, span)) = led.find_map(|id| {
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
    let (name, expected) = (
        machine.names.states.name(id),
        machine.names.states.name(expected),
    );
    found.push(
        Diagnostic::warning(
            Code::ObjectionState,
            format!("objections lead to `{name}`, and dialogues return only from `{expected}`"),
        )
        .at(span, "no return from here")
        .help(format!(
            "call it `{expected}`, or say `constants: {{states: {{handle_objection: {name}}}}}`"
        )),
    );
}

/// The states that are entered, by objections and otherwise.
#[derive(Default)]
struct Entries {
    by_objection: BTreeSet<StateId>,
    otherwise: BTreeSet<StateId>,
}

impl Entries {
    fn collect(&mut self, machine: &Machine, from: StateId, state: &State) {
        let states = |chain: ChainId| {
            let clauses = machine.clauses(chain).iter();
            clauses.filter_map(|clause| match clause.then {
                Consequent::State(to) => Some(to),
                Consequent::Action(_) => None,
            })
        };
        for (intent, chain) in state.transitions.iter() {
            let objects = machine.intent(intent).has(Traits::OBJECTION);
            let entered = if objects {
                &mut self.by_objection
            } else {
                &mut self.otherwise
            };
            entered.extend(states(chain).filter(|to| *to != from));
        }
        self.otherwise
            .extend(state.node.iter().flat_map(|node| node.leads()));
        for target in [
            state.go_back,
            state.data_complete,
            state.any,
            state.fallback,
        ] {
            match target {
                Target::None => {}
                Target::State(to, _) => self.otherwise.extend([to]),
                Target::Chain(chain) => self.otherwise.extend(states(chain)),
            }
        }
    }
}
