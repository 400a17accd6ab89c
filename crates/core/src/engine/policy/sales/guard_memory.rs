//! What the conversation guard remembers of a dialogue (docs/sales.md, "Conversation guard").

use std::sync::Arc;

use super::settings::GuardLimits;
use crate::machine::StateId;

/// What the conversation guard remembers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct GuardMemory {
    /// Turns so far.
    pub turns: i64,
    /// The turn of the last progress.
    pub last_progress: i64,
    /// The last message and how often it came in a row.
    pub message: Option<(Arc<str>, i64)>,
    /// The states of the last turns, the latest last.
    pub states: Vec<StateId>,
    /// How many turns in a row were in the last of them.
    pub same_state: i64,
}

impl GuardMemory {
    /// Takes in a turn: its state and, where there is one, its message.
    pub fn observe(&mut self, state: StateId, message: Option<&str>, limits: &GuardLimits) {
        self.turns += 1;
        self.same_state = if self.states.last() == Some(&state) {
            self.same_state + 1
        } else {
            1
        };
        self.states.push(state);
        let kept = usize::try_from(limits.progress_check_interval.max(2)).unwrap_or(usize::MAX);
        if self.states.len() > kept {
            self.states.drain(..self.states.len() - kept);
        }
        if let Some(message) = message {
            let folded = message.trim().to_lowercase();
            let count = match &self.message {
                Some((last, count)) if **last == *folded => count + 1,
                _ => 1,
            };
            self.message = Some((folded.into(), count));
        }
    }

    /// Notes that the turn brought the dialogue on.
    pub fn progress(&mut self) {
        self.last_progress = self.turns;
    }
}
