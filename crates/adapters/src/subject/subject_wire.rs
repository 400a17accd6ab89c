//! The connection to a system under test.

use serde_json::Value as Json;

use super::subject_failure::SubjectFailure;
use super::subject_turn::TurnValues;
use fsmsim_syntax::terminal::TextRedactions;

/// An external dialogue system that is called turn by turn.
pub trait SubjectWire: Send {
    /// The answer to a turn, as JSON.
    fn ask(
        &mut self,
        values: &TurnValues,
        mask: &mut TextRedactions,
    ) -> Result<Json, SubjectFailure>;
}
