//! By what a dialogue is known to those who perform its effects.

use std::borrow::Cow;
use std::sync::Arc;

/// By what a dialogue is known to those who perform its effects. No two dialogues have one id where something stays that one
/// of them does.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SessionId {
    name: Arc<str>,
    /// How often the dialogue began again: each time it is another one.
    round: u32,
}

impl SessionId {
    /// An id that nobody else has: 128 random bits. It is shown nowhere, so that results stay the same from run to run.
    pub fn random() -> Self {
        Self::of(&uuid::Uuid::new_v4().simple().to_string())
    }

    /// The id of this text.
    pub fn of(text: &str) -> Self {
        Self {
            name: text.into(),
            round: 0,
        }
    }

    /// The id of the dialogue that begins anew where this one was.
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
