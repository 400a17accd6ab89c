//! The instruction of the moment: the layers of text that guide an assistant, and what is known.

use crate::engine::{Machine, Session};

impl Session {
    /// The instruction of the state in which the dialogue is: the base layer, the text of the state, and what is known of
    /// the user. Nothing, where nothing guides the assistant.
    pub fn instruction(&self, machine: &Machine) -> Option<String> {
        let base = machine.policies.guidance()?.base.trim();
        let here = self.instruction_here(machine)?;
        Some(joined(&[base, &here]))
    }

    /// The same without the base layer, for whoever has heard it.
    pub fn instruction_here(&self, machine: &Machine) -> Option<String> {
        let here = machine.guide(self.position.state)?;
        let known: Vec<String> = self
            .slots
            .iter(machine)
            .map(|(name, value)| format!("- {name}: {value}"))
            .collect();
        let known = if known.is_empty() {
            String::new()
        } else {
            format!("## Known\n\n{}", known.join("\n"))
        };
        Some(joined(&[here.instruction.trim(), &known]))
    }
}

/// The layers that say something.
fn joined(layers: &[&str]) -> String {
    let layers: Vec<&str> = layers
        .iter()
        .copied()
        .filter(|layer| !layer.is_empty())
        .collect();
    layers.join("\n\n")
}
