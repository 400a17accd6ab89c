//! The names under which a session is saved, and the ids again.

use super::super::session::Session;
use super::super::symbol::Symbol;
use super::super::unknown_symbols::UnknownNames;
use crate::engine::Machine;
use crate::machine::{ActionId, Id, IntentId, Names, PhaseId, StateId};

/// The names of a session that is saved.
#[derive(Clone, Copy)]
pub(in crate::engine) struct SavedNames<'s> {
    pub(in crate::engine) session: &'s Session,
    pub(in crate::engine) machine: &'s Machine,
}

impl SavedNames<'_> {
    /// The name of a state.
    pub(in crate::engine) fn state(&self, id: StateId) -> String {
        self.session.state_name(id, self.machine).to_owned()
    }

    /// The name of an intent.
    pub(in crate::engine) fn intent(&self, id: IntentId) -> String {
        self.session.intent_name(id, self.machine).to_owned()
    }
}

/// The id of a name: the machine's, or the session's own.
fn id_of<I: Id>(unknown: &mut UnknownNames, names: &Names<I>, text: &str) -> I {
    unknown.id(&Symbol::of(text, names), names.len())
}

impl Session {
    /// The id of a state's name.
    pub(in crate::engine) fn state_named(&mut self, name: &str, machine: &Machine) -> StateId {
        id_of(&mut self.unknown.states, &machine.names.states, name)
    }

    /// The id of an intent's name.
    pub(super) fn intent_named(&mut self, name: &str, machine: &Machine) -> IntentId {
        id_of(&mut self.unknown.intents, &machine.names.intents, name)
    }

    /// The id of a phase's name.
    pub(super) fn phase_named(&mut self, name: &str, machine: &Machine) -> PhaseId {
        id_of(&mut self.unknown.phases, &machine.names.phases, name)
    }

    /// The id of an action's name.
    pub(super) fn action_named(&mut self, name: &str, machine: &Machine) -> ActionId {
        id_of(&mut self.unknown.actions, &machine.names.actions, name)
    }
}
