//! Until when a scenario may go on.

use std::time::{Duration, Instant};

/// Until when a scenario may go on. It is looked at between two turns: an answer that is waited for is waited for as long as
/// whoever gives it may take.
#[derive(Clone, Debug)]
pub(super) struct Deadline {
    until: Option<Instant>,
    is_over: bool,
}

impl Deadline {
    /// From now on so long; for ever, where nothing is said.
    pub(super) fn after(limit: Option<Duration>) -> Self {
        Self {
            until: limit.and_then(|limit| Instant::now().checked_add(limit)),
            is_over: false,
        }
    }

    /// Whether it has passed by now.
    pub(super) fn is_passed(&mut self) -> bool {
        self.is_over = self.is_over || self.until.is_some_and(|until| Instant::now() >= until);
        self.is_over
    }

    /// Whether a play was stopped by it.
    pub(super) fn is_over(&self) -> bool {
        self.is_over
    }
}
