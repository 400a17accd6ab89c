//! Where the answer to a request goes.

use serde::Serialize;
use tokio::sync::oneshot;

use super::refusal::Refusal;

/// An answer, as JSON.
pub(super) type StudioAnswer = Result<String, Refusal>;

/// Where the answer to a request goes. Whoever takes it along to another thread answers later.
#[derive(Debug)]
pub(super) struct Reply(oneshot::Sender<StudioAnswer>);

impl Reply {
    /// A place for an answer, and where it arrives.
    pub(super) fn new() -> (Self, oneshot::Receiver<StudioAnswer>) {
        let (sender, receiver) = oneshot::channel();
        (Self(sender), receiver)
    }

    /// Answers.
    pub(super) fn give(self, answer: Result<impl Serialize, Refusal>) {
        let text = answer.and_then(|answer| {
            let text = serde_json::to_string(&answer);
            text.map_err(|error| {
                Refusal::cannot(format!("the answer cannot be written: {error}"), "")
            })
        });
        // A tab that was closed does not wait for it any more.
        let _ = self.0.send(text);
    }
}
