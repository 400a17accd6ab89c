//! Simulated users.

use super::end_cause::EndReason;
use crate::runtime::DialogueRunner;
use fsmsim_core::engine::{ScriptedTurn, Symbol};
use fsmsim_core::machine::{IntentId, SlotId, Value};
use fsmsim_syntax::diagnostic::Diagnostics;

/// A simulated user. One value runs many dialogues, one after another.
pub(super) trait User {
    /// Whether the user reads the turn records, so that turns must be recorded.
    const READS_RECORDS: bool;

    /// Starts the dialogue with this number.
    fn begin(&mut self, number: u64, runner: &mut DialogueRunner);

    /// Ends the dialogue and returns findings about the providers.
    fn end(&mut self, _runner: &mut DialogueRunner) -> Diagnostics {
        Diagnostics::default()
    }

    /// The next input.
    fn next(&mut self, runner: &mut DialogueRunner) -> UserTurn<'_>;
}

/// The intent of an utterance, and its values.
pub(super) type Meaning<'u> = (IntentId, &'u [(Symbol<SlotId>, Value)]);

/// The next input of a user.
pub(super) enum UserTurn<'u> {
    /// A turn. If `leaves` is set, the user leaves after it.
    Turn {
        scripted: &'u ScriptedTurn,
        leaves: Option<EndReason>,
        /// The meaning of the utterance, if a recognizer must find it.
        meant: Option<Meaning<'u>>,
    },
    /// The user has left.
    Abandoned(EndReason),
    /// A model should play the user, but no provider answered.
    Unanswered,
}
