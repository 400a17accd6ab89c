//! Loads dialogues that are kept elsewhere.

use std::sync::Arc;

use super::loaded::{DialogueLoader, LoadedDialogue};
use super::rehearsal::Rehearsal;
use super::rehearsal_error::RehearsalError;
use super::typed_turn::typed;
use fsmsim_core::engine::ScriptedTurn;

impl Rehearsal {
    /// The same where dialogues can be loaded.
    pub fn loading(mut self, loader: DialogueLoader) -> Self {
        self.load_by(loader);
        self
    }

    /// Dialogues can be loaded from now on.
    pub fn load_by(&mut self, loader: DialogueLoader) {
        self.loader = Some(loader);
    }

    /// Loads a dialogue, and makes ready to play it: on a branch of its own where it starts as this one did, else as one that
    /// begins anew.
    pub fn load(&mut self, address: &str) -> Result<LoadedDialogue, RehearsalError> {
        let dialogue = self.find(address)?;
        self.begin_as(&dialogue.start)?;
        Ok(dialogue)
    }

    /// A dialogue by its address; nothing is done yet.
    pub fn find(&mut self, address: &str) -> Result<LoadedDialogue, String> {
        if address.is_empty() {
            return Err(
                "`:load FILE::TITLE@3` plays the first three turns of a scenario".to_owned(),
            );
        }
        let machine = Arc::clone(self.runner.machine());
        let loader = self.loader.as_mut().ok_or("nothing can be loaded here")?;
        loader(address, &machine)
    }

    /// Whether a dialogue that starts so has room here, on a branch of its own.
    pub fn begins_as(&self, start: &str) -> bool {
        *start == self.started && self.tree.root().turns == 0 && !self.remembers()
    }

    /// Goes to the beginning of a dialogue that starts so: of this one where it did, else of one that begins anew.
    ///
    /// # Errors
    /// The findings about `start` as text; the dialogue goes on then.
    pub fn begin_as(&mut self, start: &str) -> Result<(), RehearsalError> {
        if self.begins_as(start) {
            return Ok(self.go_to_the_beginning()?);
        }
        self.begin_again(start)
    }

    /// Asks whom a loaded dialogue names, where nobody is asked yet.
    pub fn ask_as(&mut self, loaded: &mut LoadedDialogue) {
        if let Some(answerer) = loaded.answerer.take().filter(|_| !self.asks) {
            self.runner.ask_from_now(answerer);
            self.asks = true;
        }
    }

    /// The line that a person would type for a turn where the dialogue is.
    pub fn line_of(&self, turn: &ScriptedTurn) -> String {
        typed(
            turn,
            self.runner.machine(),
            self.runner.session().position.state,
            self.asks,
        )
    }
}
