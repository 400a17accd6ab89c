//! The names that replace others.

use fsmsim_core::engine::Machine;
use fsmsim_core::machine::{State, StateId};

/// The names of a machine by which mutants replace other names.
pub(super) struct MutationNames<'m> {
    /// The states in which a dialogue can stay, in the order of the files.
    pub states: Vec<&'m str>,
    pub actions: Vec<&'m str>,
    pub phases: Vec<&'m str>,
}

impl<'m> MutationNames<'m> {
    pub(super) fn of(machine: &'m Machine) -> Self {
        let declared = machine.declared_states();
        let mut states: Vec<(StateId, &State)> = declared
            .filter(|(_, state)| !state.is_target_only())
            .collect();
        states.sort_by_key(|(_, state)| state.span);
        let names = &machine.names;
        Self {
            states: states
                .into_iter()
                .map(|(id, _)| names.states.name(id))
                .collect(),
            actions: names.actions.iter().collect(),
            phases: names.phases.iter().collect(),
        }
    }
}

/// The name that follows `old`. The first name follows the last one, and any unknown name. `None` if there is no other
/// name.
pub(super) fn next_name<'n>(names: &[&'n str], old: &str) -> Option<&'n str> {
    let known = names.iter().position(|name| *name == old);
    let after = known.map_or(0, |at| at + 1);
    let mut next = names.iter().cycle().skip(after).take(names.len());
    next.find(|name| **name != old).copied()
}
