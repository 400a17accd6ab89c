//! Token counts.

use serde::{Deserialize, Serialize};

/// Tokens as counted by a server. 0 if the server does not count them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tokens {
    /// Input tokens.
    pub asked: u64,
    /// Output tokens.
    pub answered: u64,
    /// Input tokens that the server had cached.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub cached: u64,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde passes a reference"
)]
fn is_zero(count: &u64) -> bool {
    *count == 0
}

impl std::ops::AddAssign for Tokens {
    fn add_assign(&mut self, more: Self) {
        // Counts from a server are not trusted.
        self.asked = self.asked.saturating_add(more.asked);
        self.answered = self.answered.saturating_add(more.answered);
        self.cached = self.cached.saturating_add(more.cached);
    }
}
