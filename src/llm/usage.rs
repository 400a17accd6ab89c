//! What a run uses of a live model.

use std::time::Duration;

use super::answerer::Tokens;

/// What a run used of a live model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Requests that were made.
    pub calls: u64,
    /// Those of them that were made again after a failure.
    pub retries: u64,
    /// Tokens, as the server counts them.
    pub tokens: Tokens,
    /// Time spent waiting for answers, pauses between attempts left out.
    pub time: Duration,
}
