//! IDs of dialogues.

use std::borrow::Cow;
use std::sync::Arc;

/// The ID that identifies a dialogue to backends and stores. It must be unique wherever effects of the dialogue are
/// stored.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SessionId {
    name: Arc<str>,
    /// The number of restarts. Each restart is a different dialogue.
    round: u32,
}

impl SessionId {
    /// A unique ID with 128 random bits. It never appears in output, so results are reproducible.
    pub fn random() -> Self {
        Self::of(&uuid::Uuid::new_v4().simple().to_string())
    }

    pub fn of(text: &str) -> Self {
        Self {
            name: text.into(),
            round: 0,
        }
    }

    /// The ID of the dialogue after a restart.
    pub fn next(&self) -> Self {
        Self {
            name: Arc::clone(&self.name),
            round: self.round.wrapping_add(1),
        }
    }

    pub fn text(&self) -> Cow<'_, str> {
        match self.round {
            0 => Cow::Borrowed(&self.name),
            round => Cow::Owned(format!("{}#{round}", self.name)),
        }
    }
}
