//! The bounds of a search.

use strum::IntoStaticStr;

/// The maximum size of a search. `None` means no bound.
#[derive(Clone, Copy, Debug, Default)]
pub struct Bounds {
    /// The maximum number of turns of a dialogue.
    pub depth: Option<u32>,
    pub states: Option<usize>,
    /// The maximum memory, in bytes.
    pub memory: Option<usize>,
}

/// The bound that ended a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum SearchBound {
    Depth,
    States,
    /// The number of turns in all states.
    Turns,
    Memory,
    Time,
    /// The user canceled the search.
    Canceled,
}

impl SearchBound {
    /// The name in reports.
    pub fn name(self) -> &'static str {
        self.into()
    }
}

/// The progress of a search.
#[derive(Clone, Copy, Debug, Default)]
pub struct SearchProgress {
    pub states: usize,
    pub transitions: u64,
    /// The number of states that are not expanded yet.
    pub frontier: usize,
    pub depth: u32,
    /// The memory of the search, in bytes.
    pub memory: usize,
}

impl Bounds {
    /// The bound that a search has reached.
    pub(crate) fn reached(&self, progress: &SearchProgress) -> Option<SearchBound> {
        if self.states.is_some_and(|most| progress.states >= most) {
            return Some(SearchBound::States);
        }
        self.memory
            .is_some_and(|most| progress.memory >= most)
            .then_some(SearchBound::Memory)
    }
}

/// Observes a search after each batch of states, and can end it.
pub(crate) type Watch<'w> = dyn FnMut(&SearchProgress) -> Option<SearchBound> + 'w;
