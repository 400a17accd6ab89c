//! How a system under test is reached.

use serde_json::Value as Json;

use super::subject_failure::SubjectFailure;
use super::subject_turn::TurnValues;
use fsmsim_syntax::terminal::TextMask;

/// Somebody else's dialogue system, as it can be asked turn by turn.
pub trait SubjectWire: Send {
    /// The answer of a turn, as JSON.
    fn ask(&mut self, values: &TurnValues, mask: &mut TextMask) -> Result<Json, SubjectFailure>;
}
