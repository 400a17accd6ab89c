//! The traffic of simulated dialogues as an overlay of a diagram.

use fsmsim_harness::graph::{MachineGraph, TraversedTransitions};
use fsmsim_runtime::simulate::PersonaResult;

/// The number of turns per transition, for all personas together.
pub fn traffic_ways<'p>(
    personas: impl IntoIterator<Item = &'p PersonaResult>,
    graph: &MachineGraph,
) -> TraversedTransitions {
    let mut passed = TraversedTransitions::default();
    let initial = graph.nodes.iter().find(|node| node.initial);
    for persona in personas {
        for way in &persona.transitions {
            passed.add_way(&way.from, &way.to, way.turns);
        }
        if let Some(initial) = initial.filter(|_| !persona.transitions.is_empty()) {
            passed.begin(&initial.name, persona.turns.dialogues());
        }
    }
    passed
}
