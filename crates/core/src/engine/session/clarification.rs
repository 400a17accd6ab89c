//! Whether and since when a dialogue is asking back.

use std::sync::Arc;

use crate::machine::{StateId, Value};

/// Whether and since when the dialogue is asking back.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Clarification {
    /// The last turn asked back.
    pub open: bool,
    /// Turns since; 999 where it never happened.
    pub turns_since: u32,
    /// The state in which it asked.
    pub state: Option<StateId>,
    pub asked: Option<Arc<OpenQuestion>>,
}

/// What was asked back.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct OpenQuestion {
    /// The readings to choose from.
    pub options: Arc<[Value]>,
    /// The state in which it was asked.
    pub state: Option<StateId>,
    /// The data that the utterance brought, as a map.
    pub data: Value,
    /// How often it was asked.
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

/// Turns since something that never happened.
pub(crate) const NEVER: u32 = 999;

impl Clarification {
    /// A turn begins: what was asked back is answered by it, whatever it says.
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
