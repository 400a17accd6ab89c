//! The intents that a user can choose in the current state.

use super::interactive_dialogue::InteractiveDialogue;
use super::nameable_intents::{INFORMING_INTENT, nameable_intents};

impl InteractiveDialogue {
    /// The intents that the current state handles, in file order.
    pub fn intents_here(&self) -> Vec<&str> {
        let machine = self.runner.machine();
        let state = machine.state(self.runner.session().position.state);
        let mut names: Vec<&str> = Vec::new();
        // A state with missing data accepts this intent even without a transition or rule for it.
        let slots = &self.runner.session().slots;
        let is_waiting = state.required.iter().any(|slot| !slots.get(*slot).filled());
        names.extend(self.informing_intent().filter(|_| is_waiting));
        for (intent, _) in state.transitions.iter().chain(state.rules.iter()) {
            let name = machine.names.intents.name(intent);
            if !machine.is_internal(intent) && !names.contains(&name) {
                names.push(name);
            }
        }
        names
    }

    /// The intent of a turn that only provides data, if the model defines it.
    pub fn informing_intent(&self) -> Option<&'static str> {
        let intents = &self.runner.machine().names.intents;
        intents.id(INFORMING_INTENT).map(|_| INFORMING_INTENT)
    }

    /// The remaining intents that a user can name.
    pub fn other_intents(&self) -> Vec<&str> {
        let here = self.intents_here();
        nameable_intents(self.runner.machine())
            .filter(|name| !here.contains(name))
            .collect()
    }

    /// The state of the dialogue at a moment, according to the record of its turn.
    pub fn state_at(&self, number: u32) -> Option<String> {
        self.tree.moment(number)?.report()?.state.to
    }
}
