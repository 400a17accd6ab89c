//! A token that a server gives for a while.

use std::time::{Duration, SystemTime};

/// A token.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct AccessToken {
    /// The token itself.
    pub(super) text: String,
    /// When it is good no more.
    pub(super) expires: SystemTime,
}

/// How long before its end a token is renewed.
const RENEWAL_MARGIN: Duration = Duration::from_mins(1);

impl AccessToken {
    /// Whether it is still good, and will be for a while.
    pub(super) fn is_good(&self, now: SystemTime) -> bool {
        now.checked_add(RENEWAL_MARGIN).is_some_and(|soon| soon < self.expires)
    }
}

/// The token itself is never shown.
impl std::fmt::Debug for AccessToken {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("AccessToken").field("expires", &self.expires).finish_non_exhaustive()
    }
}
