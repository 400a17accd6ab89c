//! A session as its store has it, whatever became of its model.

use super::dialogue_setup::DialogueSetup;
use fsmsim_adapters::world::{SessionStore, StoredSession, StoredTurn};
use fsmsim_core::engine::{Machine, SavedSession};
use fsmsim_core::trace::{EndLine, HeaderLine, JsonLine, TurnReport};
use fsmsim_syntax::diagnostic::Checked;

/// A session as its store has it, whatever became of its model.
#[derive(Debug)]
pub struct SessionView {
    pub name: String,
    /// What is kept of it.
    pub stored: StoredSession,
    /// The turns that there is something to tell of, as lines of a trace.
    pub records: Vec<String>,
    /// The turn that was interrupted, if one was.
    pub interrupted: Option<StoredTurn>,
}

impl SessionView {
    /// Reads a session that has begun.
    pub fn read(store: &mut SessionStore, stored: StoredSession) -> Checked<Self> {
        let mut records = store.records()?;
        records.retain(|record| !record.is_empty());
        Ok(Self {
            name: store.name().to_owned(),
            stored,
            records,
            interrupted: store.interrupted()?,
        })
    }

    /// The state that is kept; nothing where that cannot be read.
    pub fn state(&self) -> Option<String> {
        saved_state(&self.stored.checkpoint.saved)
    }

    pub fn last(&self) -> Option<TurnReport> {
        TurnReport::read(self.records.last()?)
    }

    /// Its dialogue as a trace, called as the session is.
    ///
    /// # Errors
    /// The findings about how it began, as text: the model may not know that any more.
    pub fn trace(&self, machine: &Machine) -> Result<String, String> {
        let setup = self.setup(machine)?;
        let mut json = JsonLine::default();
        HeaderLine {
            dialogue: &self.name,
            machine,
            settings: &setup.settings,
            start: &setup.start,
        }
        .write(&mut json);
        let mut text = json.into_string() + "\n";
        for record in &self.records {
            text.push_str(record);
            text.push('\n');
        }
        let mut json = JsonLine::default();
        let turns = u32::try_from(self.records.len()).unwrap_or(u32::MAX);
        EndLine {
            dialogue: &self.name,
            turns,
            audit: None,
        }
        .write(&mut json);
        Ok(text + &json.into_string() + "\n")
    }

    /// With what it began.
    pub fn setup(&self, machine: &Machine) -> Result<DialogueSetup, String> {
        let mut setup = DialogueSetup::parse(machine, &self.stored.start)?;
        if self.stored.permissive {
            setup.permit();
        }
        Ok(setup)
    }
}

/// The state in a session that was saved; nothing where that cannot be read.
pub fn saved_state(saved: &str) -> Option<String> {
    SavedSession::from_text(saved).ok().map(|saved| saved.state)
}
