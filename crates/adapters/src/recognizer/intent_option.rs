//! Intents that a recognizer can choose from.

use rustc_hash::FxHashSet;

use fsmsim_core::engine::Machine;
use fsmsim_core::machine::{IntentId, State};

/// An intent to choose from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IntentOption<'a> {
    /// The name.
    pub intent: &'a str,
    /// The meaning. Empty if the machine does not describe it.
    pub description: &'a str,
    /// Example utterances.
    pub examples: &'a [Box<str>],
    /// Intents that are easily confused with this one, each with the difference.
    pub confused_with: &'a [(Box<str>, Box<str>)],
}

impl<'a> IntentOption<'a> {
    /// The user intents, the same in every state: those that some state handles, and those that the machine describes.
    /// If the machine describes no intents, all of them.
    pub fn all(machine: &'a Machine) -> Vec<Self> {
        let states = machine.declared_states();
        let answered: FxHashSet<IntentId> =
            states.flat_map(|(_, state)| intents_of(state)).collect();
        let is_described = |id: &IntentId| machine.description(*id).is_given();
        let names = &machine.names.intents;
        let inputs = machine.policies.inputs();
        let is_offered =
            |id: &IntentId| machine.is_meant_by_people(*id) || inputs.unclear == Some(*id);
        let ids = || names.ids().filter(is_offered);
        // If a policy handles all turns, only its intents can be chosen.
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
                let description = &*meaning.description;
                let examples = &*meaning.examples;
                Self {
                    intent: names.name(id),
                    description,
                    examples,
                    confused_with: &meaning.confused_with,
                }
            })
            .collect()
    }

    /// The intents that a state handles.
    pub(crate) fn here(machine: &'a Machine, state: &State) -> Vec<&'a str> {
        let mut here: Vec<&str> = Vec::new();
        for id in intents_of(state).filter(|id| machine.is_meant_by_people(*id)) {
            let name = machine.names.intents.name(id);
            if !here.contains(&name) {
                here.push(name);
            }
        }
        here
    }

    /// The intent for utterances that match no other intent.
    pub(crate) fn unclear(machine: &'a Machine) -> Option<&'a str> {
        let of_policy = machine.policies.inputs().unclear;
        let mut phrases = machine.phrases.iter();
        let unclear = phrases
            .find(|phrases| phrases.fallback)
            .map(|phrases| phrases.intent)
            .or(of_policy)?;
        let is_offered = machine.is_meant_by_people(unclear) || of_policy == Some(unclear);
        is_offered.then(|| machine.names.intents.name(unclear))
    }
}

fn intents_of(state: &State) -> impl Iterator<Item = IntentId> {
    state
        .rules
        .iter()
        .chain(state.transitions.iter())
        .map(|(intent, _)| intent)
}
