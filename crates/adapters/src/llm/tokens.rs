//! Tokens that a model read and wrote.

use serde::{Deserialize, Serialize};

/// Tokens as a server counts them; 0 where it does not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tokens {
    /// Of what was asked.
    pub asked: u64,
    /// Of what was answered.
    pub answered: u64,
    /// Those of what was asked that the server still knew.
    #[serde(default, skip_serializing_if = "is_none")]
    pub cached: u64,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "as whoever writes fields asks"
)]
fn is_none(count: &u64) -> bool {
    *count == 0
}

impl std::ops::AddAssign for Tokens {
    fn add_assign(&mut self, more: Self) {
        // A server may count what it likes.
        self.asked = self.asked.saturating_add(more.asked);
        self.answered = self.answered.saturating_add(more.answered);
        self.cached = self.cached.saturating_add(more.cached);
    }
}
