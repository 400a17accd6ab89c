//! The nodes of a cycle, and what their work brings.

use crate::engine::policy::StateWorker;
use crate::machine::{IntentId, SlotId, StateId};

/// What works in a cycle.
#[derive(Clone, Debug, Default)]
pub struct Cycle {
    /// The nodes, in the order of their phases.
    pub nodes: Box<[StateWorker]>,
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
    /// The capabilities on whose success a verdict may rest.
    pub tests: Box<[Box<str>]>,
}

impl Cycle {
    /// The node that works in a state.
    pub fn node_of(&self, state: StateId) -> Option<&StateWorker> {
        self.nodes.iter().find(|node| node.state == state)
    }
}
