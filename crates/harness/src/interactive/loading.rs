//! Loads dialogues from scenarios and traces.

use std::sync::Arc;

use super::interactive_dialogue::InteractiveDialogue;
use super::interactive_error::InteractiveError;
use super::loaded::{DialogueLoader, LoadedDialogue};
use super::typed_turn::typed;
use fsmsim_core::engine::ScriptedTurn;

impl InteractiveDialogue {
    /// Sets the loader for dialogues.
    pub fn loading(mut self, loader: DialogueLoader) -> Self {
        self.load_by(loader);
        self
    }

    /// Sets the loader for dialogues.
    pub fn load_by(&mut self, loader: DialogueLoader) {
        self.loader = Some(loader);
    }

    /// Loads a dialogue and goes to its start. If the start is the same as that of this dialogue, it runs on a new
    /// branch, otherwise as a new dialogue.
    pub fn load(&mut self, address: &str) -> Result<LoadedDialogue, InteractiveError> {
        let dialogue = self.find(address)?;
        self.begin_as(&dialogue.start)?;
        Ok(dialogue)
    }

    /// Finds a dialogue by its ID, without changing anything.
    pub fn find(&mut self, address: &str) -> Result<LoadedDialogue, String> {
        if address.is_empty() {
            return Err(
                "missing scenario; `:load FILE::TITLE@3` runs the first three turns of a scenario"
                    .to_owned(),
            );
        }
        let machine = Arc::clone(self.runner.machine());
        let loader = self
            .loader
            .as_mut()
            .ok_or("this dialogue cannot load scenarios")?;
        loader(address, &machine)
    }

    /// Whether a dialogue with this start can run on a branch of this dialogue.
    pub fn begins_as(&self, start: &str) -> bool {
        *start == self.started && self.tree.root().turns == 0 && !self.remembers()
    }

    /// Goes to the start of a dialogue. If this dialogue has the same start, goes back to it, otherwise starts a new
    /// dialogue.
    ///
    /// # Errors
    /// Returns the findings about `start` as text. The current dialogue continues then.
    pub fn begin_as(&mut self, start: &str) -> Result<(), InteractiveError> {
        if self.begins_as(start) {
            return Ok(self.go_to_the_beginning()?);
        }
        self.begin_again(start)
    }

    /// Uses the answerer of a loaded dialogue if no other is configured.
    pub fn ask_as(&mut self, loaded: &mut LoadedDialogue) {
        if let Some(answerer) = loaded.answerer.take().filter(|_| !self.asks()) {
            self.ask_from_now(Some(answerer));
        }
    }

    /// The line that a user would type for a turn in the current state.
    pub fn line_of(&self, turn: &ScriptedTurn) -> String {
        typed(
            turn,
            self.runner.machine(),
            self.runner.session().position.state,
            self.recognizes(),
        )
    }
}
