//! States that require data which then lead nowhere.

use super::SalesConfig;
use crate::engine::Machine;
use crate::machine::{ChainId, Consequent, State, Traits};
use fsmsim_syntax::diagnostic::{Code, Diagnostic};

/// Looks at all states that are the machine's own.
pub(in crate::engine::policy) fn check(
    sales: &SalesConfig,
    machine: &Machine,
    found: &mut Vec<Diagnostic>,
) {
    for (id, state) in machine.declared_states() {
        let Some(span) = state.span.filter(|span| machine.is_own(*span)) else {
            continue;
        };
        if requires_in_vain(sales, machine, state) {
            let name = machine.names.states.name(id);
            found.push(
                Diagnostic::warning(
                    Code::DataLeadsNowhere,
                    format!("the data that `{name}` requires lead nowhere"),
                )
                .at(span, "requires data and has no `data_complete`")
                .help("add `data_complete: STATE` to its transitions"),
            );
        }
    }
}

/// Whether a state requires data, and nothing leads on from it: no `data_complete`, nor any other way than to give up, to
/// object or to step back.
fn requires_in_vain(sales: &SalesConfig, machine: &Machine, state: &State) -> bool {
    if state.is_final || state.required.is_empty() || state.node.is_some() {
        return false;
    }
    // Where turns in a state are limited, it is left by force; where phases have an order, by progress.
    let other = state.data_complete.is_some() || state.any.is_some() || state.fallback.is_some();
    if other || state.max_turns > 0 || state.entry.is_some() {
        return false;
    }
    let gives_up = Traits::OBJECTION | Traits::GO_BACK | Traits::URGENT_MOVE | Traits::SETBACK;
    let own = [sales.states.soft_close, sales.states.escalation];
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
