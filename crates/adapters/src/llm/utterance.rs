//! What was said in a dialogue, and by whom.

use serde::{Deserialize, Serialize};
use strum::IntoStaticStr;

use crate::limits::MAX_HISTORY_LINES;

/// A line of a dialogue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Utterance {
    /// Who says it.
    pub by: Speaker,
    /// What is said.
    pub text: Box<str>,
}

/// Who says something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, IntoStaticStr)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Speaker {
    User,
    Assistant,
}

impl Speaker {
    /// The name, as models and stores know it.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// Who has a name in a store: whoever is not the assistant is the user.
    pub fn of_name(name: &str) -> Self {
        if name == Self::Assistant.name() {
            Self::Assistant
        } else {
            Self::User
        }
    }
}

/// The lines before the last one, where that is what is asked about.
pub(super) fn before<'h>(history: &'h [Utterance], utterance: &str) -> &'h [Utterance] {
    match history.split_last() {
        Some((last, earlier)) if last.by == Speaker::User && *last.text == *utterance => earlier,
        _ => history,
    }
}

/// The last lines of a dialogue that are told.
pub(super) fn last_lines(history: &[Utterance]) -> &[Utterance] {
    history
        .get(history.len().saturating_sub(MAX_HISTORY_LINES)..)
        .unwrap_or_default()
}
