//! The clarification state of a dialogue.

use std::sync::Arc;

use crate::machine::{StateId, Value};

/// The clarification state of a dialogue.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Clarification {
    /// Whether the last turn asked for clarification.
    pub open: bool,
    /// The number of turns since the last clarification; 999 if there was none.
    pub turns_since: u32,
    /// The state in which the question was asked.
    pub state: Option<StateId>,
    pub asked: Option<Arc<OpenQuestion>>,
}

/// An open clarification question.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct OpenQuestion {
    /// The intents that the user can choose from.
    pub options: Arc<[Value]>,
    /// The state in which the question was asked.
    pub state: Option<StateId>,
    /// The slot values of the utterance, as a map.
    pub data: Value,
    /// The number of attempts.
    pub attempt: i64,
}

impl Default for Clarification {
    fn default() -> Self {
        Self {
            open: false,
            turns_since: NEVER,
            state: None,
            asked: None,
        }
    }
}

/// The number of turns since an event that never happened.
pub(crate) const NEVER: u32 = 999;

impl Clarification {
    /// Starts a turn: any input answers the open question.
    pub(crate) fn pass_turn(&mut self) {
        self.turns_since = if self.open {
            0
        } else {
            NEVER.min(self.turns_since + 1)
        };
        self.open = false;
        self.state = None;
        self.asked = None;
    }
}
