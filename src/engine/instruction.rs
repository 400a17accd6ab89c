//! The instruction of the moment: the layers of text that guide an assistant, and what is known (docs/assistants.md).

use super::session::Session;
use crate::machine::Machine;

/// The instruction of the state in which the dialogue is: the base layer, the text of the state, and what is known of the
/// user. Nothing, where the machine has no instructions.
#[must_use]
pub fn instruction(machine: &Machine, session: &Session) -> Option<String> {
    let instructions = machine.instructions.as_deref()?;
    let guide = machine.state(session.position.state).guide.as_deref()?;
    let known: Vec<String> =
        session.slots.iter(machine).map(|(name, value)| format!("- {name}: {value}")).collect();
    let known = if known.is_empty() { String::new() } else { format!("## Known\n\n{}", known.join("\n")) };
    let layers = [instructions.base.trim(), guide.instruction.trim(), &known];
    let layers: Vec<&str> = layers.into_iter().filter(|layer| !layer.is_empty()).collect();
    Some(layers.join("\n\n"))
}
