//! The nodes of a cycle, and what their work brings.

use crate::machine::{IntentId, SlotId, StateId};

/// What works in a cycle.
#[derive(Clone, Debug, Default)]
pub struct Cycle {
    /// The nodes, in the order of their phases.
    pub nodes: Box<[CycleNode]>,
    /// Time for a node to work.
    pub tick: IntentId,
    /// The name under which a turn brings its time.
    pub now: SlotId,
    /// The name under which a turn brings what the work comes to in words.
    pub message: SlotId,
    /// The name under which a turn brings the subtasks.
    pub plan: SlotId,
    /// The name under which a turn brings a report.
    pub report: SlotId,
    /// The capabilities that may be asked for.
    pub capabilities: Box<[Box<str>]>,
    /// Those of them on whose success a verdict may rest.
    pub tests: Box<[Box<str>]>,
}

/// A node.
#[derive(Clone, Debug)]
pub struct CycleNode {
    /// The state in which it works.
    pub state: StateId,
    /// Somebody outside does its work.
    pub is_asked: bool,
    /// Who works there.
    pub role: Box<str>,
    /// What is known to it: the data that it reads.
    pub reads: Box<[SlotId]>,
    /// What its work brings, by name; the first is what it brings where it is a mere text.
    pub brings: Box<[(Box<str>, SlotId)]>,
}

impl Cycle {
    /// The node that works in a state.
    pub fn node_of(&self, state: StateId) -> Option<&CycleNode> {
        self.nodes.iter().find(|node| node.state == state)
    }
}
