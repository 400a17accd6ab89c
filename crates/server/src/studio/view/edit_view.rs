//! What an edit of the model did to the dialogue.

use serde::Serialize;

use fsmsim_harness::rehearsal::{ReplayedDialogue, TurnChange};

/// What an edit of the model did to the dialogue.
#[derive(Clone, Debug, Serialize)]
pub(in crate::studio) struct EditView {
    /// How many turns were played again.
    turns: usize,
    /// Those that went otherwise.
    differing: Vec<TurnChange>,
    /// Where the dialogue could not go on, in a sentence.
    stopped: Option<String>,
    /// The branch on which it is kept as it was.
    former: Option<String>,
    /// What was changed by hand and cannot be any more, each in a sentence.
    undone: Vec<String>,
    /// The files that were edited.
    files: Vec<String>,
    /// How long it took to play it again.
    milliseconds: u64,
}

impl EditView {
    pub(in crate::studio) fn of(
        replayed: ReplayedDialogue,
        files: Vec<String>,
        milliseconds: u64,
    ) -> Self {
        let undone = replayed
            .undone
            .iter()
            .map(|(line, why)| format!("`{line}` is not done again: {why}"));
        Self {
            turns: replayed.turns,
            stopped: replayed
                .stopped
                .as_ref()
                .map(fsmsim_harness::rehearsal::StoppedReplay::told),
            undone: undone.collect(),
            differing: replayed.changes,
            former: replayed.former,
            files,
            milliseconds,
        }
    }
}
