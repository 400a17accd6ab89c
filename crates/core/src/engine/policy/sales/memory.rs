//! The memory and the notes of the sales sources, and the saved form.

use std::sync::Arc;

use serde::de::Error as _;
use serde::{Deserialize, Serialize};
use smallvec::SmallVec;

use super::GuardLimits;
use crate::engine::{Change, Machine, Reads, SavedNames, Session, no_state};
use crate::limits::MAX_SAVED_GO_BACKS;
use crate::machine::StateId;

/// The memory of the sales sources.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct SalesMemory {
    /// The completed go-backs.
    pub go_backs: SmallVec<[Change<StateId>; 2]>,
    /// The memory of the conversation guard.
    pub guard: GuardMemory,
}

impl SalesMemory {
    /// The number of remaining go-backs if `most` are allowed.
    pub fn go_backs_left(&self, most: i64) -> i64 {
        most.saturating_sub(self.go_backs_taken()).max(0)
    }

    /// Clears what no reader reads.
    pub(super) fn reduce(&mut self, reads: &Reads, guard: Option<&GuardLimits>) {
        let taken = usize::try_from(reads.go_backs.of(self.go_backs_taken())).unwrap_or(0);
        let (from, to) = (no_state(), no_state());
        self.go_backs = (0..taken).map(|_| Change { from, to }).collect();
        match guard {
            Some(limits) => self.guard.reduce(limits),
            None => self.guard = GuardMemory::default(),
        }
    }

    /// The number of completed go-backs.
    pub fn go_backs_taken(&self) -> i64 {
        i64::try_from(self.go_backs.len()).unwrap_or(i64::MAX)
    }
}

/// The saved memory. The go-backs use the key of the reference bot.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct SavedSales {
    circular_flow: SavedGoBacks,
    guard: SavedGuard,
}

/// The go-backs, each with the states before and after it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
struct SavedGoBacks {
    goback_count: usize,
    /// The number of remaining go-backs. It follows from the limit, so it is not read.
    #[serde(skip_deserializing)]
    remaining: i64,
    #[serde(alias = "history")]
    goback_history: Vec<(String, String)>,
}

/// The saved memory of the conversation guard.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
struct SavedGuard {
    turns: i64,
    last_progress: i64,
    message: Option<(String, i64)>,
    states: Vec<String>,
    same_state: i64,
}

impl SavedSales {
    pub(super) fn of(memory: &SalesMemory, most: i64, names: &SavedNames<'_>) -> Self {
        let SalesMemory { go_backs, guard } = memory;
        Self {
            circular_flow: SavedGoBacks {
                goback_count: go_backs.len(),
                remaining: memory.go_backs_left(most),
                goback_history: go_backs
                    .iter()
                    .map(|step| (names.state(step.from), names.state(step.to)))
                    .collect(),
            },
            guard: SavedGuard {
                turns: guard.turns,
                last_progress: guard.last_progress,
                message: guard
                    .message
                    .as_ref()
                    .map(|(text, count)| (text.to_string(), *count)),
                states: guard
                    .states
                    .iter()
                    .map(|state| names.state(*state))
                    .collect(),
                same_state: guard.same_state,
            },
        }
    }

    /// Restores the memory.
    pub(super) fn restore(
        &self,
        session: &mut Session,
        machine: &Machine,
    ) -> Result<SalesMemory, serde_json::Error> {
        let Self {
            circular_flow,
            guard,
        } = self;
        if circular_flow.goback_count > MAX_SAVED_GO_BACKS {
            return Err(serde_json::Error::custom(format!(
                "`goback_count` is greater than {MAX_SAVED_GO_BACKS}"
            )));
        }
        let mut go_backs = SmallVec::new();
        for (from, to) in &circular_flow.goback_history {
            go_backs.push(Change {
                from: session.state_named(from, machine),
                to: session.state_named(to, machine),
            });
        }
        // Go-backs without a history also count.
        let here = session.position.state;
        while go_backs.len() < circular_flow.goback_count {
            go_backs.push(Change {
                from: here,
                to: here,
            });
        }
        Ok(SalesMemory {
            go_backs,
            guard: GuardMemory {
                turns: guard.turns,
                last_progress: guard.last_progress,
                message: guard
                    .message
                    .as_ref()
                    .map(|(text, count)| (text.as_str().into(), *count)),
                states: guard
                    .states
                    .iter()
                    .map(|name| session.state_named(name, machine))
                    .collect(),
                same_state: guard.same_state,
            },
        })
    }
}

/// The notes of the sales sources in a turn.
#[derive(Clone, Copy, Debug, Default)]
pub struct SalesNotes {
    /// The consecutive and the total number of objections before the current intent was counted.
    pub(super) objections_before: (u32, u32),
    /// An accepted go-back.
    pub(super) go_back: Option<PendingGoBack>,
}

/// An accepted go-back, which is counted when it is completed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PendingGoBack {
    pub from: StateId,
    /// The target; `None` if conditions decide.
    pub to: Option<StateId>,
}

/// The memory of the conversation guard.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct GuardMemory {
    /// The number of turns so far.
    pub turns: i64,
    /// The turn of the last progress.
    pub last_progress: i64,
    /// The last message, and how many times it occurred in a row.
    pub message: Option<(Arc<str>, i64)>,
    /// The states of the last turns, oldest first.
    pub states: Vec<StateId>,
    /// The number of consecutive turns in the last state.
    pub same_state: i64,
}

impl GuardMemory {
    /// Adds a turn: its state and, if there is one, its message.
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

    /// Replaces counts with the smallest equivalent ones.
    fn reduce(&mut self, limits: &GuardLimits) {
        let idle = self.turns - self.last_progress;
        self.turns = self.turns.min(limits.max_turns.saturating_add(1).max(2));
        self.last_progress = self.turns - idle.min(limits.progress_check_interval);
        self.same_state = self.same_state.min(limits.max_same_state);
        if let Some((_, count)) = &mut self.message {
            *count = (*count).min(limits.max_same_message);
        }
    }

    /// Records that the turn made progress.
    pub fn progress(&mut self) {
        self.last_progress = self.turns;
    }
}
