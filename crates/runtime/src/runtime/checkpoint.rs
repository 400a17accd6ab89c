//! Checkpoints of a dialogue.

use super::dialogue_runner::DialogueRunner;
use fsmsim_adapters::llm::Utterance;
use fsmsim_adapters::stores::{Checkpoint, SessionId};
use fsmsim_core::engine::SavedSession;

impl DialogueRunner {
    /// The current checkpoint of the dialogue.
    pub fn checkpoint(&self) -> Checkpoint {
        // A checkpoint is always complete, even in a profile in which saving a session loses data.
        let mut settings = self.settings().clone();
        settings.switches.snapshot = true;
        Checkpoint {
            id: self.id().text().into_owned(),
            saved: SavedSession::of(self.session(), self.machine(), &settings).to_text(),
            memory: self.memory().to_string(),
        }
    }

    /// Restores a checkpoint taken after `turns` turns with this history.
    pub fn go_to(
        &mut self,
        checkpoint: &Checkpoint,
        turns: u32,
        history: Vec<Utterance>,
    ) -> Result<(), String> {
        let unreadable = |error: serde_json::Error| format!("cannot read the saved state: {error}");
        let saved = SavedSession::from_text(&checkpoint.saved).map_err(unreadable)?;
        if self.machine().state_id(&saved.state).is_none() {
            return Err(format!(
                "the model no longer has the state `{}`",
                saved.state
            ));
        }
        let session = saved.restore(self.machine()).map_err(unreadable)?;
        let memory = serde_json::from_str(&checkpoint.memory).map_err(unreadable)?;
        self.put_back(
            SessionId::of(&checkpoint.id),
            session,
            turns,
            history,
            &memory,
        );
        Ok(())
    }
}
