//! The gate of the schema: nothing is written that breaks the JSON Schema it is declared with (000, section 8.2).

use crate::diagnostic::visible;
use crate::engine::effect::Denial;
use crate::machine::Value;

/// Characters of a message that are kept at most: it quotes what would be written.
const QUOTED: usize = 200;

/// Lets a payload pass that fits the schema.
pub(in crate::engine) fn fits(schema: &Value, payload: &Value) -> Result<(), Denial> {
    let broken = |reason: String| Denial::BreaksSchema(reason.chars().take(QUOTED).collect());
    let json = |value: &Value| serde_json::to_value(value).map_err(|error| broken(error.to_string()));
    let validator =
        jsonschema::validator_for(&json(schema)?).map_err(|error| broken(visible(&error.to_string())))?;
    match validator.iter_errors(&json(payload)?).next() {
        None => Ok(()),
        Some(error) => {
            let place = error.instance_path().to_string();
            let place = if place.is_empty() { String::new() } else { format!("{place}: ") };
            Err(broken(visible(&format!("{place}{error}"))))
        }
    }
}
