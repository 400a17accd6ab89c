//! The instruction of the moment: the layers of text that guide an assistant, and what is known.

use crate::engine::{Machine, Session};

impl Session {
    /// The instruction of the state in which the dialogue is: the base layer, the text of the state, and what is known of
    /// the user. Nothing, where the machine has no instructions.
    pub fn instruction(&self, machine: &Machine) -> Option<String> {
        let instructions = machine.instructions()?;
        let here = instructions.of(self.position.state)?;
        let known: Vec<String> = self.slots.iter(machine).map(|(name, value)| format!("- {name}: {value}")).collect();
        let known = if known.is_empty() { String::new() } else { format!("## Known\n\n{}", known.join("\n")) };
        let layers = [instructions.base.trim(), here.instruction.trim(), &known];
        let layers: Vec<&str> = layers.into_iter().filter(|layer| !layer.is_empty()).collect();
        Some(layers.join("\n\n"))
    }
}
