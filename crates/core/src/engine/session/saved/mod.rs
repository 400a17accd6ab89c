//! The saved form of a session: names instead of IDs, so that it survives an edit of the definition.
//!
//! The keys of the reference bot's snapshot come first with the same meaning, so that a production dialogue can be
//! continued. Data that this snapshot does not contain is under `beyond`, and the memories of policies are under
//! `policies`.

mod branches;
mod session;
mod tracker;

use crate::engine::{Machine, ReturnStack, Session, Settings, Symbol, UnknownNames};
use crate::machine::{ActionId, Id, IntentId, Names, PhaseId, StateId};
pub use session::SavedSession;

/// Converts the IDs of a session to names, for saving.
#[derive(Clone, Copy)]
pub(crate) struct SavedNames<'s> {
    pub session: &'s Session,
    pub machine: &'s Machine,
    pub settings: &'s Settings,
}

impl SavedNames<'_> {
    /// The name of a state.
    pub(crate) fn state(&self, id: StateId) -> String {
        self.session.state_name(id, self.machine).to_owned()
    }

    /// The names of return states: the innermost one, and the others, outermost first.
    fn returns(&self, stack: &ReturnStack) -> (Option<String>, Vec<String>) {
        let mut names: Vec<String> = stack.iter().map(|state| self.state(state)).collect();
        (names.pop(), names)
    }

    /// The name of an intent.
    pub(crate) fn intent(&self, id: IntentId) -> String {
        self.session.intent_name(id, self.machine).to_owned()
    }
}

/// The ID of a name, from the machine or otherwise from the session.
fn id_of<I: Id>(unknown: &mut UnknownNames, names: &Names<I>, text: &str) -> I {
    unknown.id(&Symbol::of(text, names), names.len())
}

impl Session {
    /// The ID of a state name.
    pub(crate) fn state_named(&mut self, name: &str, machine: &Machine) -> StateId {
        id_of(&mut self.unknown.states, &machine.names.states, name)
    }

    /// The ID of an optional state name.
    fn maybe_state(&mut self, name: Option<&str>, machine: &Machine) -> Option<StateId> {
        Some(self.state_named(name?, machine))
    }

    /// The return states with these names: the innermost one, and the others, outermost first.
    fn returns_named(
        &mut self,
        (innermost, outer): (Option<&str>, &[String]),
        machine: &Machine,
    ) -> ReturnStack {
        let names = outer.iter().map(String::as_str).chain(innermost);
        names.map(|name| self.state_named(name, machine)).collect()
    }

    /// The ID of an intent name.
    fn intent_named(&mut self, name: &str, machine: &Machine) -> IntentId {
        id_of(&mut self.unknown.intents, &machine.names.intents, name)
    }

    /// The ID of a phase name.
    fn phase_named(&mut self, name: &str, machine: &Machine) -> PhaseId {
        id_of(&mut self.unknown.phases, &machine.names.phases, name)
    }

    /// The ID of an action name.
    fn action_named(&mut self, name: &str, machine: &Machine) -> ActionId {
        id_of(&mut self.unknown.actions, &machine.names.actions, name)
    }
}
