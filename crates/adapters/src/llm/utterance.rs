//! Utterances of a dialogue.

use serde::{Deserialize, Serialize};
use strum::IntoStaticStr;

use crate::limits::MAX_HISTORY_LINES;

/// A line of a dialogue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Utterance {
    pub by: Speaker,
    pub text: Box<str>,
}

/// The speaker of an utterance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, IntoStaticStr)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Speaker {
    User,
    Assistant,
}

impl Speaker {
    /// The name in prompts and stores.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// The speaker for a name in a store. Any name except that of the assistant is the user.
    pub fn of_name(name: &str) -> Self {
        if name == Self::Assistant.name() {
            Self::Assistant
        } else {
            Self::User
        }
    }
}

/// The history without its last line, if that is the given utterance.
pub(super) fn before<'h>(history: &'h [Utterance], utterance: &str) -> &'h [Utterance] {
    match history.split_last() {
        Some((last, earlier)) if last.by == Speaker::User && *last.text == *utterance => earlier,
        _ => history,
    }
}

/// The last lines of a dialogue, for prompts.
pub(super) fn last_lines(history: &[Utterance]) -> &[Utterance] {
    history
        .get(history.len().saturating_sub(MAX_HISTORY_LINES)..)
        .unwrap_or_default()
}
