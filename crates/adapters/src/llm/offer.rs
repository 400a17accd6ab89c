//! An intent that somebody who reads may choose.

use rustc_hash::FxHashSet;

use fsmsim_core::engine::Machine;
use fsmsim_core::machine::{IntentId, State};

/// An intent to choose from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Offer<'a> {
    /// Its name.
    pub intent: &'a str,
    /// What it means; empty where the machine does not say.
    pub description: &'a str,
    /// What people say who mean it.
    pub examples: &'a [Box<str>],
    /// Other intents that it is easily taken for, each with what tells them apart.
    pub confused_with: &'a [(Box<str>, Box<str>)],
}

impl<'a> Offer<'a> {
    /// The intents that somebody may mean, the same in every state: those to which some state has an answer, and those that the
    /// machine describes. A machine that describes none offers all.
    pub fn all(machine: &'a Machine) -> Vec<Self> {
        let states = machine.declared_states();
        let answered: FxHashSet<IntentId> = states.flat_map(|(_, state)| of_state(state)).collect();
        let is_described = |id: &IntentId| machine.description(*id).is_given();
        let names = &machine.names.intents;
        let ids = || {
            names
                .iter()
                .filter_map(|name| names.id(name))
                .filter(|id| machine.is_meant_by_people(*id))
        };
        // Where a policy takes all turns, its readings are all there is to choose from.
        let inputs = machine.policies.inputs();
        let describes = !inputs.is_whole && ids().any(|id| is_described(&id));
        ids()
            .filter(|id| {
                !describes
                    || is_described(id)
                    || answered.contains(id)
                    || inputs.unclear == Some(*id)
            })
            .map(|id| {
                let meaning = machine.description(id);
                let (description, examples) = (&*meaning.description, &*meaning.examples);
                Self {
                    intent: names.name(id),
                    description,
                    examples,
                    confused_with: &meaning.confused_with,
                }
            })
            .collect()
    }

    /// Those that a state has an answer to.
    pub(super) fn here(machine: &'a Machine, state: &State) -> Vec<&'a str> {
        let mut here: Vec<&str> = Vec::new();
        for id in of_state(state).filter(|id| machine.is_meant_by_people(*id)) {
            let name = machine.names.intents.name(id);
            if !here.contains(&name) {
                here.push(name);
            }
        }
        here
    }

    /// What is meant where nothing that is offered fits.
    pub(super) fn unclear(machine: &'a Machine) -> Option<&'a str> {
        let otherwise = machine
            .phrases
            .iter()
            .find(|reading| reading.otherwise)
            .map(|reading| reading.intent);
        let unclear = otherwise.or_else(|| machine.policies.inputs().unclear)?;
        machine
            .is_meant_by_people(unclear)
            .then(|| machine.names.intents.name(unclear))
    }
}

fn of_state(state: &State) -> impl Iterator<Item = IntentId> {
    state
        .rules
        .iter()
        .chain(state.transitions.iter())
        .map(|(intent, _)| intent)
}
