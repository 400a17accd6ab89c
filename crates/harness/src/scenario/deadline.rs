//! The time limit of a scenario.

use std::time::{Duration, Instant};

/// The time limit of a scenario. It is checked between turns, so only the timeout of a provider limits a pending
/// answer.
#[derive(Clone, Debug)]
pub(super) struct Deadline {
    until: Option<Instant>,
    is_over: bool,
}

impl Deadline {
    /// Starts the time limit. `None` means that there is no limit.
    pub(super) fn after(limit: Option<Duration>) -> Self {
        Self {
            until: limit.and_then(|limit| Instant::now().checked_add(limit)),
            is_over: false,
        }
    }

    /// Checks whether the time has expired.
    pub(super) fn is_passed(&mut self) -> bool {
        self.is_over = self.is_over || self.until.is_some_and(|until| Instant::now() >= until);
        self.is_over
    }

    /// Whether the time limit stopped a trial.
    pub(super) fn is_over(&self) -> bool {
        self.is_over
    }
}
