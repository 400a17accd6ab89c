//! Whoever speaks for the user in a simulated dialogue.

use super::end_cause::EndReason;
use crate::runtime::DialogueRunner;
use fsmsim_core::engine::ScriptedTurn;
use fsmsim_syntax::diagnostic::Diagnostics;

/// Whoever speaks for the user. One value plays dialogue after dialogue.
pub(super) trait User {
    /// Whether it looks at the records of the turns, so that they must be written.
    const READS_RECORDS: bool;

    /// Begins the dialogue of this number.
    fn begin(&mut self, number: u64, runner: &mut DialogueRunner);

    /// The dialogue is over: what is to be said about who was asked in it.
    fn end(&mut self, _runner: &mut DialogueRunner) -> Diagnostics {
        Diagnostics::default()
    }

    /// What it says next.
    fn next(&mut self, runner: &mut DialogueRunner) -> UserTurn<'_>;
}

/// What a user says next.
pub(super) enum UserTurn<'u> {
    /// This; it leaves then, where there is a reason.
    Turn {
        scripted: &'u ScriptedTurn,
        leaves: Option<EndReason>,
    },
    /// Nothing more: it has left.
    Left(EndReason),
    /// It should be played by a model, and none answered.
    Unanswered,
}
