//! The content of a session, readable even if its model changed.

use super::dialogue_setup::DialogueSetup;
use fsmsim_adapters::stores::{SessionStore, StoredSession, StoredTurn};
use fsmsim_core::engine::{Machine, SavedSession};
use fsmsim_core::trace::{EndLine, HeaderLine, JsonLine, TurnReport};
use fsmsim_syntax::diagnostic::Checked;

/// The content of a session, readable even if its model changed.
#[derive(Debug)]
pub struct SessionView {
    pub name: String,
    /// The content of the store.
    pub stored: StoredSession,
    /// The recorded turns as trace lines.
    pub records: Vec<String>,
    /// The interrupted turn, if any.
    pub interrupted: Option<StoredTurn>,
}

impl SessionView {
    /// Reads a session that has started.
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

    /// The saved state. `None` if it is unreadable.
    pub fn state(&self) -> Option<String> {
        saved_state(&self.stored.checkpoint.saved)
    }

    pub fn last(&self) -> Option<TurnReport> {
        TurnReport::read(self.records.last()?)
    }

    /// The dialogue as a trace with the name of the session.
    ///
    /// # Errors
    /// Returns the findings about the start of the dialogue as text if the model no longer accepts it.
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

    /// The setup with which the dialogue started.
    pub fn setup(&self, machine: &Machine) -> Result<DialogueSetup, String> {
        let mut setup = DialogueSetup::parse(machine, &self.stored.start)?;
        if self.stored.permissive {
            setup.permit();
        }
        Ok(setup)
    }
}

/// The state in a saved session. `None` if it is unreadable.
pub fn saved_state(saved: &str) -> Option<String> {
    SavedSession::from_text(saved).ok().map(|saved| saved.state)
}
