//! What may be said where a dialogue is.

use super::rehearsal::Rehearsal;
use super::turn_change::record_of;

impl Rehearsal {
    /// The intents of which the present state says something, in the order of the file.
    pub fn intents_here(&self) -> Vec<&str> {
        let machine = self.runner.machine();
        let state = machine.state(self.runner.session().position.state);
        let mut names: Vec<&str> = Vec::new();
        for (intent, _) in state.transitions.iter().chain(state.rules.iter()) {
            let name = machine.names.intents.name(intent);
            if !names.contains(&name) {
                names.push(name);
            }
        }
        names
    }

    /// The state behind a moment, by the record of its turn; nothing where none is known.
    pub fn state_at(&self, number: u32) -> Option<String> {
        Some(record_of(self.tree.moment(number)?).pointer("/state/to")?.as_str()?.to_owned())
    }
}
