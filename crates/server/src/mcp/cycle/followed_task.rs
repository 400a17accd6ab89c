//! A task that is to be followed.

use std::sync::Arc;
use std::time::Duration;

use super::task_slot::LiveTask;

/// A task that is to be followed, and how far.
pub(super) struct FollowedTask {
    pub(super) slot: Arc<LiveTask>,
    /// Turns of which has been told.
    pub(super) told: usize,
    pub(super) turns: u64,
    pub(super) wait: Duration,
    pub(super) at: Option<String>,
}

/// Turns that are driven, and seconds that are waited for one, unless said.
pub(super) const TURNS: u64 = 100;
pub(super) const WAIT: u64 = 60;

impl FollowedTask {
    /// A task of which also the turns so far are told.
    pub(super) fn from_its_beginning(slot: Arc<LiveTask>, at: Option<&str>) -> Self {
        Self {
            slot,
            told: 0,
            turns: TURNS,
            wait: Duration::from_secs(WAIT),
            at: at.map(str::to_owned),
        }
    }
}
