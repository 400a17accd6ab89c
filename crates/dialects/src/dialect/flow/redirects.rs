//! Greeting safety: intents that lead from the greeting to the entry state, regardless of its transitions
//! (docs/src/explanation/flows.md).

use super::constants::Constants;
use super::inherit::{InheritedEntry, Resolved};
use fsmsim_syntax::document::{Key, Node};

/// The redirected intents and their target.
#[derive(Default)]
pub(super) struct Redirects<'a> {
    intents: Vec<&'a str>,
    target: Option<(&'a Key, &'a Node)>,
}

impl<'a> Redirects<'a> {
    /// Reads the redirections from the constants. The result is empty if the flag is off.
    pub(super) fn new(constants: &Constants<'a>, flag: bool) -> Self {
        let section = constants.all.section("greeting_state_safety");
        if !flag || !section.is_true("enabled", false) {
            return Self::default();
        }
        let target = section
            .entries()
            .into_iter()
            .find(|(key, _)| &*key.text == "redirect_to");
        let intents = constants.categories.get("greeting_redirect_intents");
        Self {
            intents: intents.cloned().unwrap_or_default(),
            target,
        }
    }

    /// Adds the redirections to the transitions of a state.
    pub(super) fn apply(&self, state: &'a str, resolved: &mut Resolved<'a>) {
        let Some((key, node)) = self.target else {
            return;
        };
        for intent in &self.intents {
            let entry = InheritedEntry {
                replaces: true,
                ..InheritedEntry::new(key, node, state)
            };
            resolved.transitions.insert(intent, entry);
        }
    }
}
