//! The gate of the schema: nothing is written that breaks the JSON Schema it is declared with (docs/markdown.md).

use crate::diagnostic::escape_control;
use crate::engine::effect::DenyReason;
use crate::machine::{Schema, Value};

/// Characters of a message that are kept at most: it quotes what would be written.
const QUOTED: usize = 200;

/// Lets a payload pass that fits the schema.
pub(in crate::engine) fn fits(schema: &Schema, payload: &Value) -> Result<(), DenyReason> {
    let Some(breach) = schema.breach(payload) else { return Ok(()) };
    let place = if breach.place.is_empty() { String::new() } else { format!("{}: ", breach.place) };
    let told = escape_control(&format!("{place}{}", breach.message));
    Err(DenyReason::BreaksSchema(told.chars().take(QUOTED).collect()))
}
