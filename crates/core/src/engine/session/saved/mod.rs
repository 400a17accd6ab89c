//! A session as text: by names instead of ids, so that it outlives an edit of the definition.
//!
//! The keys of the reference bot's own snapshot come first and mean the same, so that a dialogue from production can be
//! continued; what that snapshot loses stands under `beyond`, and what policies remember under `policies`.

mod branches;
mod session;
mod tracker;

use crate::engine::{Machine, Session, Symbol, UnknownNames};
use crate::machine::{ActionId, Id, IntentId, Names, PhaseId, StateId};
pub use session::SavedSession;

/// The names of a session that is saved.
#[derive(Clone, Copy)]
pub(crate) struct SavedNames<'s> {
    pub session: &'s Session,
    pub machine: &'s Machine,
}

impl SavedNames<'_> {
    /// The name of a state.
    pub(crate) fn state(&self, id: StateId) -> String {
        self.session.state_name(id, self.machine).to_owned()
    }

    /// The name of an intent.
    pub(crate) fn intent(&self, id: IntentId) -> String {
        self.session.intent_name(id, self.machine).to_owned()
    }
}

/// The id of a name: the machine's, or the session's own.
fn id_of<I: Id>(unknown: &mut UnknownNames, names: &Names<I>, text: &str) -> I {
    unknown.id(&Symbol::of(text, names), names.len())
}

impl Session {
    /// The id of a state's name.
    pub(crate) fn state_named(&mut self, name: &str, machine: &Machine) -> StateId {
        id_of(&mut self.unknown.states, &machine.names.states, name)
    }

    /// The id of the name of a state that may be missing.
    fn maybe_state(&mut self, name: Option<&str>, machine: &Machine) -> Option<StateId> {
        Some(self.state_named(name?, machine))
    }

    /// The id of an intent's name.
    fn intent_named(&mut self, name: &str, machine: &Machine) -> IntentId {
        id_of(&mut self.unknown.intents, &machine.names.intents, name)
    }

    /// The id of a phase's name.
    fn phase_named(&mut self, name: &str, machine: &Machine) -> PhaseId {
        id_of(&mut self.unknown.phases, &machine.names.phases, name)
    }

    /// The id of an action's name.
    fn action_named(&mut self, name: &str, machine: &Machine) -> ActionId {
        id_of(&mut self.unknown.actions, &machine.names.actions, name)
    }
}
