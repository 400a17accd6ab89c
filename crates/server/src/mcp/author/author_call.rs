//! A call that is being answered: where, how far it is, and whether somebody still waits for it.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use tokio::sync::mpsc::UnboundedSender;

use super::author_desk::AuthorDesk;

/// A call that is being answered.
pub(super) struct AuthorCall {
    pub(super) desk: Arc<AuthorDesk>,
    pub(super) progress: CallProgress,
}

/// How far a call is, and whether somebody still waits for it.
#[derive(Clone, Debug, Default)]
pub(super) struct CallProgress {
    /// Nobody waits for it any more.
    pub(super) stopped: Arc<AtomicBool>,
    /// Where its steps are told; nothing where nobody asked for that.
    pub(super) steps: Option<UnboundedSender<CallStep>>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct CallStep {
    pub(super) done: usize,
    /// Of how many.
    pub(super) of: usize,
    /// What was done, in a few words.
    pub(super) told: String,
}

impl CallProgress {
    /// Tells a step.
    pub(super) fn step(&self, done: usize, of: usize, told: impl FnOnce() -> String) {
        if let Some(steps) = &self.steps {
            // Whoever asked may have gone.
            let _ = steps.send(CallStep {
                done,
                of,
                told: told(),
            });
        }
    }
}
