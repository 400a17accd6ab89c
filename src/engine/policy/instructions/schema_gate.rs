//! The gate of the schema: nothing is written that breaks the JSON Schema it is declared with.

use crate::diagnostic::escape_control;
use crate::engine::io::DenyReason;
use crate::machine::{Schema, Value};

/// Characters of a message that are kept at most: it quotes what would be written.
const QUOTED: usize = 200;

/// Lets a payload pass that fits the schema.
pub(super) fn fits(schema: &Schema, payload: &Value) -> Result<(), DenyReason> {
    let Some(error) = schema.error(payload) else { return Ok(()) };
    let place = if error.place.is_empty() { String::new() } else { format!("{}: ", error.place) };
    let told = escape_control(&format!("{place}{}", error.message));
    Err(DenyReason::BreaksSchema(told.chars().take(QUOTED).collect()))
}
